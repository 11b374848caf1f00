#include "config/started_files.hpp"

#include "config/file_look.hpp"
#include "config/launch.hpp"
#include "config/shown.hpp"
#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <map>
#include <set>
#include <utility>

namespace config {

namespace {

/// Of a folder; without servers it is a file.
struct closing {
  std::string problem; ///< of one file; empty: names could not be followed
  std::set<std::string> servers;
};

std::string why_closed(const closing& what) {
  auto& servers = what.servers;
  std::string names;
  size_t shown = 0;
  for (auto name = servers.begin(); name != servers.end() && shown < unfollowed_servers_shown_max; ++name, ++shown)
    names += (shown == 0 ? "'" : ", '") + text::quoted(*name, shown_bytes_max) + "'";
  if (servers.size() > shown)
    names += " and " + std::to_string(servers.size() - shown) + " more";
  if (!what.problem.empty())
    return what.problem + ", so what server " + names + " would start is not known";
  return "the names of files that decide what server " + names
         + " would start could not all be followed within the bound";
}

} // namespace

std::vector<started_file> files_of_servers(const server_list& servers, const environment& env,
                                           const variable_lookup& variable) {
  file_look look;
  std::map<std::string, closing> found;
  for (auto* entries : {&servers.entries, &servers.of_clients})
    for (auto& entry : *entries) {
      auto places = files_of(entry, env, variable, look);
      for (auto& file : places.files)
        found.try_emplace(std::move(file));
      for (auto& folder : places.closed) {
        auto& by = found[folder.path];
        if (by.servers.empty() && !folder.file.empty())
          by.problem = text::quoted(folder.file, msg::limits::path_bytes_max) + ' ' + folder.why;
        by.servers.insert(entry.name);
      }
    }
  std::vector<started_file> out;
  out.reserve(found.size());
  for (auto& [path, by] : found)
    out.push_back({path, by.servers.empty() ? std::string{} : why_closed(by)});
  return out;
}

} // namespace config
