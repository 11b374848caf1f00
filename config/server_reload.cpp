#include "config/server_reload.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace config {

namespace {

/// The file as a whole can not be read, or this entry. Every complaint begins with the path of its file, and one of an
/// entry names its server.
bool is_broken(const msg::server_entry& entry, const server_list& list) {
  auto is_about_it = [&](auto& p) {
    return p.find(": server '") == p.npos || p.find(": server '" + entry.name + "'") != p.npos;
  };
  return std::any_of(list.problems.begin(), list.problems.end(),
                     [&](auto& p) { return p.starts_with(entry.source + ":") && is_about_it(p); });
}

} // namespace

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

server_list in_force(const server_list& before, server_list now) {
  for (auto& old : before.entries) {
    auto same = [&](auto& e) { return e.name == old.name; };
    auto found = std::find_if(now.entries.begin(), now.entries.end(), same);
    bool is_there = found != now.entries.end() && found->source == old.source;
    if (is_there || !is_broken(old, now))
      continue;
    bool hides = found != now.entries.end() && msg::is_trusted(*found) && !msg::is_trusted(old);
    if (hides)
      continue;
    if (found != now.entries.end()) // of a file that counted less
      *found = old;
    else
      now.entries.push_back(old);
  }
  std::sort(now.entries.begin(), now.entries.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return now;
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
