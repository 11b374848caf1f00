#include "config/file_text.hpp"

#include "process/child.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace config {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF"; // as editors on Windows write it

/// Neither a pipe nor a device is waited for, and no terminal becomes that of this process.
process::descriptor open_file(const std::string& path) {
  return process::descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
}

/// Of what signals interrupt.
ssize_t read_some(int fd, char* to, size_t bytes_max) {
  for (;;)
    if (auto n = ::read(fd, to, bytes_max); n >= 0 || errno != EINTR)
      return n;
}

fault unreadable(const std::string& path, const std::string& why) {
  return {errc::invalid_argument, path + ": can not be read: " + why};
}

fault too_large(const std::string& path, size_t bytes_max) {
  return {errc::limit_exceeded, path + ": larger than " + std::to_string(bytes_max >> 20) + " MiB"};
}

/// Also files whose size is not known beforehand, as in /proc.
fault read_all(const std::string& path, int fd, size_t bytes_max, file_text& to) {
  std::array<char, 64u << 10> part;
  for (;;) {
    auto n = read_some(fd, part.data(), part.size());
    if (n < 0)
      return unreadable(path, std::strerror(errno));
    if (n == 0)
      return {};
    auto size = to.text.size() + static_cast<size_t>(n);
    to.read_bytes = size;
    if (size > bytes_max)
      return too_large(path, bytes_max);
    to.text.append(part.data(), static_cast<size_t>(n));
  }
}

fault read_text(const std::string& path, int fd, size_t bytes_max, file_text& to) {
  struct stat s {};
  if (::fstat(fd, &s) != 0)
    return unreadable(path, std::strerror(errno));
  if (!S_ISREG(s.st_mode))
    return unreadable(path, S_ISDIR(s.st_mode) ? "it is a folder" : "it is no regular file");
  to.size = static_cast<uint64_t>(s.st_size);
  if (to.size > bytes_max)
    return too_large(path, bytes_max);
  auto& text = to.text;
  text.reserve(static_cast<size_t>(s.st_size));
  if (auto problem = read_all(path, fd, bytes_max, to); problem.code != errc::none)
    return problem;
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return {errc::invalid_argument, path + ": is UTF-16; save it as UTF-8"};
  if (text.starts_with(utf8_mark))
    text.erase(0, utf8_mark.size());
  return {};
}

/// Where the name, or a folder of it, is a link to what is not there, as when the disk behind it is not mounted: that
/// is no file that nobody has written. Empty: there is no such link.
fs::path lost_link(const std::string& path) {
  std::error_code ec;
  for (fs::path at{path}; !at.empty() && at != at.root_path(); at = at.parent_path())
    if (auto kind = fs::symlink_status(at, ec).type(); kind == fs::file_type::symlink)
      return fs::exists(at, ec) ? fs::path{} : at;
    else if (kind != fs::file_type::not_found)
      break;
  return {};
}

} // namespace

file_text read_file_text(const std::string& path, size_t bytes_max) {
  file_text out;
  auto fd = open_file(path);
  auto problem = errno;
  out.exists = fd || (problem != ENOENT && problem != ENOTDIR);
  if (auto link = out.exists ? fs::path{} : lost_link(path); !link.empty()) {
    out.exists = true;
    std::error_code ec;
    out.error = unreadable(path, (link == fs::path{path} ? "it" : link.string()) + " is a link to "
                                   + fs::read_symlink(link, ec).string() + ", which is not there");
  } else if (fd)
    out.error = read_text(path, fd.get(), bytes_max, out);
  else if (out.exists)
    out.error = unreadable(path, std::strerror(problem));
  if (out.error.code != errc::none)
    out.text.clear();
  return out;
}

std::string read_file_start(const std::string& path, size_t bytes_max) {
  auto fd = open_file(path);
  struct stat s {};
  if (!fd || ::fstat(fd.get(), &s) != 0 || !S_ISREG(s.st_mode))
    return {};
  std::string text(bytes_max, '\0');
  size_t size = 0;
  while (size < bytes_max) {
    auto n = read_some(fd.get(), text.data() + size, bytes_max - size);
    if (n <= 0)
      break;
    size += static_cast<size_t>(n);
  }
  text.resize(size);
  return text;
}

} // namespace config
