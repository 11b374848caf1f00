#include "config/server_reload.hpp"

#include "config/folder_files.hpp"

#include <filesystem>
#include <set>
#include <string_view>

namespace config {

std::vector<std::string> watched_places(const environment& env) {
  std::vector<std::string> places;
  std::set<std::string> known;
  auto add_one = [&](const std::string& place) {
    if (!place.empty() && known.insert(place).second)
      places.push_back(place);
  };
  auto add = [&](const std::string& path) {
    std::filesystem::path at{path};
    if (at.filename().string().find('*') == std::string::npos)
      return add_one(path);
    add_one(at.parent_path().string());
    for (auto& file : files_of_folder(path).paths) // any of them may be a link to elsewhere
      add_one(file);
  };
  for (auto& source : server_sources(env))
    add(source.path);
  for (auto& list : off_lists())
    add(path_of(env, list.root, list.path, list.moved_by));
  for (auto& list : verdict_lists())
    add(path_of(env, list.root, list.path, list.moved_by));
  return places;
}

std::vector<std::string> new_problems(const server_list& before, const server_list& now) {
  std::set<std::string_view> told(before.problems.begin(), before.problems.end());
  std::vector<std::string> out;
  for (auto& problem : now.problems)
    if (!told.contains(problem))
      out.push_back(problem);
  return out;
}

} // namespace config
