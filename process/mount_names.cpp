#include "process/mount_names.hpp"

#include "process/inside.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace process {

namespace fs = std::filesystem;

namespace {

constexpr auto mounts_file = "/proc/self/mountinfo";

/// `path` lies in `folder`, or is it.
fs::path moved(const fs::path& path, const fs::path& folder, const fs::path& to) {
  auto rest = path.lexically_relative(folder);
  return rest == "." ? to : to / rest;
}

} // namespace

std::string unescaped_mount(std::string_view text) {
  auto is_octal = [&](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '7'; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool is_escape = text[i] == '\\' && is_octal(i + 1) && is_octal(i + 2) && is_octal(i + 3);
    out +=
      is_escape ? static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')) : text[i];
    i += is_escape ? 3 : 0;
  }
  return out;
}

msg::outcome<mount_names> mount_names::read() {
  std::ifstream file{mounts_file, std::ios::binary};
  std::string text;
  for (std::array<char, 16u << 10> some{};
       text.size() < bytes_max && (file.read(some.data(), some.size()), file.gcount() > 0);)
    text.append(some.data(), static_cast<size_t>(file.gcount()));
  if (text.empty() || text.size() >= bytes_max)
    return msg::fault{msg::errc::not_allowed,
                      std::string{"permissions.write: nothing can be granted for writing: "} + mounts_file
                        + (text.empty() ? " can not be read" : " is too long")
                        + ", and it says what is mounted twice, which decides what has to be kept"};
  return mount_names{text};
}

mount_names::mount_names(std::string_view text) {
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string id, parent, device, root, place;
    if (words >> id >> parent >> device >> root >> place)
      mounts_.push_back({std::move(device), unescaped_mount(root), unescaped_mount(place)});
  }
}

const mount_names::mount* mount_names::mount_of(const fs::path& path) const {
  const mount* own = nullptr;
  for (auto& m : mounts_)
    if (inside(path, m.place) && (!own || !inside(own->place, m.place) || own->place == m.place))
      own = &m;
  return own;
}

std::vector<fs::path> mount_names::others(const fs::path& path) const {
  auto* own = mount_of(path);
  std::vector<fs::path> names;
  if (!own)
    return names;
  auto in_file_system = moved(path, own->place, own->root);
  for (auto& m : mounts_)
    if (&m != own && m.device == own->device && inside(in_file_system, m.root))
      if (auto name = moved(in_file_system, m.root, m.place); name != path)
        names.push_back(std::move(name));
  return names;
}

std::vector<fs::path> mount_names::others_inside(const fs::path& folder) const {
  std::vector<fs::path> names;
  auto add = [&](const fs::path& name) {
    if (!inside(name, folder) && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  auto add_parts = [&](const std::string& device, const fs::path& root) {
    for (auto& m : mounts_)
      if (m.device == device && m.root != root && inside(m.root, root))
        add(m.place);
  };
  if (auto* own = mount_of(folder))
    add_parts(own->device, moved(folder, own->place, own->root));
  for (auto& m : mounts_) // in the folder: it may be mounted elsewhere, and so may a part of it
    if (m.place != folder && inside(m.place, folder)) {
      add_parts(m.device, m.root);
      for (auto& name : others(m.place))
        add(name);
    }
  return names;
}

} // namespace process
