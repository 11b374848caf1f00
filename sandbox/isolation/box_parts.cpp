#include "sandbox/isolation/box_parts.hpp"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sandbox {

namespace {

/// Above the standard ones and the channel.
constexpr int first_source = 4;

namespace fs = std::filesystem;

/// `wanted`: a bit of others. One that is not there is the error of open_source().
bool nobody_may(mode_t wanted, const fs::path& path) {
  struct stat s {};
  auto bits = ::stat(path.c_str(), &s) == 0 && s.st_uid == nobody ? wanted << 6 : wanted;
  return s.st_nlink == 0 || (s.st_mode & bits) == bits;
}

} // namespace

uid_t guest_user() { return ::geteuid() == 0 ? nobody : 0; }

uid_t uid_of_guests() { return ::geteuid() == 0 ? nobody : ::geteuid(); }

std::string folder_closed_to_guests(const std::string& real) {
  if (guest_user() != nobody)
    return {};
  for (auto folder = fs::path{real}.parent_path(); folder != folder.root_path(); folder = folder.parent_path())
    if (!nobody_may(S_IXOTH, folder))
      return folder.string();
  return {};
}

std::string closed_to_guests(const std::string& path) {
  if (guest_user() != nobody)
    return {};
  std::error_code ec;
  auto real = fs::canonical(path, ec);
  mode_t needed = fs::is_directory(real, ec) ? S_IROTH | S_IXOTH : S_IROTH;
  auto why = "guests can not read " + path + ": they are nobody, because the server runs as root, and ";
  if (auto folder = folder_closed_to_guests(real.string()); !folder.empty())
    return why + folder + " is closed to others; chmod o+x " + folder
           + ", or start the server as the owner of that folder";
  if (!nobody_may(needed, real))
    return why + "it is closed to others; chmod -R o+rX " + real.string();
  return {};
}

int hand_over(prepared_box& out, process::descriptor source) {
  auto number = first_source + static_cast<int>(out.sources.size());
  out.launch.descriptors.emplace_back(source.get(), number);
  out.sources.push_back(std::move(source));
  return number;
}

process::descriptor open_source(const mount& m) {
  if (!m.from.sound() || !m.to.sound()) {
    errno = EINVAL;
    return {};
  }
  return m.opened ? process::duplicate(*m.opened) : process::descriptor{::open(m.from.c_str(), O_PATH | O_CLOEXEC)};
}

void add_limits(process::c_texts& arguments, const box& what) {
  auto add = [&](const char* key, size_t value) { arguments.emplace_back(key + std::to_string(value)); };
  add("data=", what.memory_bytes + what.reserved_bytes);
  add("nofile=", what.open_files);
  add("fsize=", what.file_bytes);
  add("cpu=", what.cpu_seconds);
}

void add_filter(process::c_texts& arguments, const isolation& isolated, prepared_box& out) {
  if (isolated.filter)
    arguments.emplace_back("seccomp=" + std::to_string(hand_over(out, process::duplicate(*isolated.filter))));
}

} // namespace sandbox
