#include "config/started_files.hpp"

#include "config/file_look.hpp"
#include "config/launch.hpp"
#include "config/shown.hpp"
#include "text/utf8.hpp"

#include <map>
#include <set>
#include <utility>

namespace config {

namespace {

using server_names = std::set<std::string>;

std::string why_closed(const server_names& servers) {
  std::string names;
  size_t shown = 0;
  for (auto name = servers.begin(); name != servers.end() && shown < unfollowed_servers_shown_max; ++name, ++shown)
    names += (shown == 0 ? "'" : ", '") + text::quoted(*name, shown_bytes_max) + "'";
  if (servers.size() > shown)
    names += " and " + std::to_string(servers.size() - shown) + " more";
  return "the names of files that decide what server " + names + " would start could not all be followed within the bound";
}

} // namespace

std::vector<started_file> files_of_servers(const server_list& servers, const environment& env, const variable_lookup& variable) {
  file_look look;
  std::map<std::string, server_names> found; ///< of a folder that is closed: by whom
  for (auto* entries : {&servers.entries, &servers.of_clients})
    for (auto& entry : *entries) {
      auto places = files_of(entry, env, variable, look);
      for (auto& file : places.files)
        found.try_emplace(std::move(file));
      for (auto& folder : places.closed)
        found[std::move(folder)].insert(entry.name);
    }
  std::vector<started_file> out;
  out.reserve(found.size());
  for (auto& [path, names] : found)
    out.push_back({path, names.empty() ? std::string{} : why_closed(names)});
  return out;
}

} // namespace config
