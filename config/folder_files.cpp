#include "config/folder_files.hpp"

#include "messages/limits.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace config {

namespace fs = std::filesystem;
using msg::limits::config_folder_files_max;
using msg::limits::config_folder_names_max;

namespace {

/// Of what is no folder; empty: nothing is there.
std::string what_is_there(const std::string& folder) {
  std::error_code ec;
  auto status = fs::symlink_status(folder, ec);
  if (fs::is_symlink(status) && !fs::exists(folder, ec))
    return folder + ": is a link to " + fs::read_symlink(folder, ec).string() + ", which is not there";
  return fs::exists(status) ? folder + ": is no folder" : std::string{};
}

} // namespace

folder_files files_of_folder(const std::string& pattern) {
  auto star = pattern.rfind('*');
  auto folder = pattern.substr(0, pattern.rfind('/', star));
  auto ending = pattern.substr(star + 1);
  folder_files out;
  std::error_code ec;
  fs::directory_iterator it{folder, ec};
  if (ec == std::errc::no_such_file_or_directory || ec == std::errc::not_a_directory) {
    out.problem = what_is_there(folder);
    return out;
  }
  size_t names = 0;
  for (; !ec && it != fs::directory_iterator{} && ++names <= config_folder_names_max; it.increment(ec))
    if (auto name = it->path().filename().string(); name.ends_with(ending) && !name.starts_with('.'))
      out.paths.push_back(it->path().string());
  if (ec)
    out.problem = folder + ": can not be read: " + ec.message();
  if (names > config_folder_names_max)
    out.problem =
      folder + ": has more than " + std::to_string(config_folder_names_max) + " names; not all were looked at";
  std::sort(out.paths.begin(), out.paths.end());
  if (out.paths.size() > config_folder_files_max) {
    out.problem = folder + ": has " + std::to_string(out.paths.size()) + " files; the first "
                  + std::to_string(config_folder_files_max) + " are used";
    out.paths.resize(config_folder_files_max);
  }
  return out;
}

} // namespace config
