#include "setup/running.hpp"

#include "config/file_text.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace setup {

namespace fs = std::filesystem;

namespace {

/// Of a command line: the program and its script are in there.
constexpr size_t command_bytes_max = 4u << 10;

/// The last part of a path, without the ending of a script.
std::string name_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1);
  for (std::string_view ending : {".js", ".mjs", ".cjs", ".py"})
    if (path.ends_with(ending))
      path.remove_suffix(ending.size());
  return std::string{path.substr(0, path.find(' '))};
}

bool is_of_this_user(const fs::path& process) {
  struct stat s {};
  return ::stat(process.c_str(), &s) == 0 && s.st_uid == ::geteuid();
}

} // namespace

std::map<std::string, pid_t> running_programs() {
  std::map<std::string, pid_t> out;
  std::error_code ec;
  size_t looked_at = 0;
  for (fs::directory_iterator at{"/proc", ec}, end; !ec && at != end; at.increment(ec)) {
    auto name = at->path().filename().string();
    pid_t id = 0;
    auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (problem != std::errc{} || rest != name.data() + name.size() || !is_of_this_user(at->path()))
      continue;
    if (++looked_at > processes_max)
      break;
    auto words = config::read_file_start(at->path() / "cmdline", command_bytes_max);
    std::string_view left = words;
    for (int i = 0; i < 2 && !left.empty(); ++i) {
      auto word = left.substr(0, left.find('\0'));
      left.remove_prefix(std::min(word.size() + 1, left.size()));
      out.emplace(name_of(word), id);
    }
  }
  return out;
}

} // namespace setup
