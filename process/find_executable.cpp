#include "process/find_executable.hpp"

#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

namespace process {

namespace fs = std::filesystem;

namespace {

bool is_executable_file(const fs::path& p) {
  struct stat s {};
  return ::stat(p.c_str(), &s) == 0 && S_ISREG(s.st_mode) && ::access(p.c_str(), X_OK) == 0;
}

} // namespace

std::string find_executable(std::string_view command, std::string_view path, std::string_view cwd) {
  if (command.empty() || command.find('\0') != command.npos) // else what stands before it would be found
    return {};
  if (command.find('/') != command.npos) {
    auto whole = fs::path{cwd} / command; // an absolute command replaces cwd
    return is_executable_file(whole) ? whole.string() : std::string{};
  }
  for (bool more = !path.empty(); more;) {
    auto end = path.find(':');
    auto folder = path.substr(0, end);
    more = end != path.npos;
    path.remove_prefix(more ? end + 1 : 0);
    auto candidate = (folder.empty() ? fs::path{cwd} : fs::path{cwd} / folder) / command;
    if (is_executable_file(candidate))
      return candidate.string();
  }
  return {};
}

std::string own_executable() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec).string();
}

} // namespace process
