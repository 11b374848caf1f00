#include "sandbox/box_parts.hpp"

#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace sandbox {

namespace {

/// Above the standard ones and the channel.
constexpr int first_source = 4;

namespace fs = std::filesystem;

bool permits(const fs::path& path, fs::perms others) {
  std::error_code ec;
  auto status = fs::status(path, ec);
  return ec || (status.permissions() & others) == others; // one that is not there is somebody else's error
}

} // namespace

uid_t guest_user() { return ::geteuid() == 0 ? nobody : 0; }

std::string closed_to_guests(const std::string& path) {
  if (guest_user() != nobody)
    return {};
  std::error_code ec;
  auto real = fs::canonical(path, ec);
  auto needed = fs::is_directory(real, ec) ? fs::perms::others_read | fs::perms::others_exec : fs::perms::others_read;
  auto why = "guests can not read " + path + ": they are nobody, because the server runs as root, and ";
  for (auto folder = real.parent_path(); folder != folder.root_path(); folder = folder.parent_path())
    if (!permits(folder, fs::perms::others_exec))
      return why + folder.string() + " is closed to others; chmod o+x " + folder.string() + ", or start the server as the owner of that folder";
  if (!permits(real, needed))
    return why + "it is closed to others; chmod -R o+rX " + real.string();
  return {};
}

int hand_over(prepared_box& out, process::descriptor source) {
  auto number = first_source + static_cast<int>(out.sources.size());
  out.launch.descriptors.emplace_back(source.get(), number);
  out.sources.push_back(std::move(source));
  return number;
}

process::descriptor duplicate(const process::descriptor& of) { return process::descriptor{::fcntl(of.get(), F_DUPFD_CLOEXEC, 0)}; }

process::descriptor open_source(const mount& m) {
  return m.opened ? duplicate(*m.opened) : process::descriptor{::open(m.from.c_str(), O_PATH | O_CLOEXEC)};
}

void add_limits(std::vector<std::string>& arguments, const box& what) {
  auto add = [&](const char* key, size_t value) { arguments.push_back(key + std::to_string(value)); };
  add("data=", what.memory_bytes + what.reserved_bytes);
  add("nofile=", what.open_files);
  add("fsize=", what.file_bytes);
  add("cpu=", what.cpu_seconds);
}

void add_filter(std::vector<std::string>& arguments, const isolation& walls, prepared_box& out) {
  if (walls.filter)
    arguments.push_back("seccomp=" + std::to_string(hand_over(out, duplicate(*walls.filter))));
}

} // namespace sandbox
