#include "config/server_reload.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace config {

std::vector<std::string> watched_places(const environment& env) {
  std::vector<std::string> places;
  auto add = [&](const std::string& path) {
    std::filesystem::path at{path};
    bool is_pattern = at.filename().string().find('*') != std::string::npos;
    auto place = is_pattern ? at.parent_path().string() : path;
    if (!place.empty() && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(std::move(place));
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
