#include "sandbox/cgroup/cgroup_files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace sandbox {

namespace {

/// Files of a cgroup are short; only cgroup.procs of a busy one is not, and /proc/self/mountinfo.
constexpr size_t read_bytes_max = 1u << 20;

} // namespace

int cgroup_files::make_folder(const std::string& path) { return ::mkdir(path.c_str(), 0755) == 0 ? 0 : errno; }

int cgroup_files::remove_folder(const std::string& path) { return ::rmdir(path.c_str()) == 0 ? 0 : errno; }

process::descriptor cgroup_files::open(const std::string& path) {
  return process::descriptor{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
}

int cgroup_files::write(const std::string& path, const std::string& text) {
  process::descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!file)
    return errno;
  return ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

std::string cgroup_files::read(const std::string& path) {
  process::descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::string text;
  char chunk[4096];
  while (file && text.size() < read_bytes_max) {
    auto n = ::read(file.get(), chunk, sizeof chunk);
    if (n <= 0)
      break;
    text.append(chunk, static_cast<size_t>(n));
  }
  if (text.ends_with('\n'))
    text.pop_back();
  return text;
}

std::vector<std::string> cgroup_files::folders(const std::string& path) {
  std::vector<std::string> names;
  std::error_code ec;
  for (std::filesystem::directory_iterator it{path, ec}, end; !ec && it != end; it.increment(ec))
    if (it->is_directory(ec))
      names.push_back(it->path().filename().string());
  return names;
}

} // namespace sandbox
