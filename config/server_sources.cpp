#include "config/clients.hpp"
#include "config/folder_files.hpp"
#include "config/server_list.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace config {

namespace {

/// A file that the user named. If a client of the table has that file, it is written as that client writes it.
server_source named(const environment& env, std::string path, const char* label, std::string named_by) {
  client_file how{label, file_root::project, "", nullptr, msg::variable_syntax::shell};
  for (auto& c : client_files())
    if (path_of(env, c.root, c.path, c.moved_by) == path) {
      how.syntax = c.syntax;
      how.timeout = c.timeout;
      how.writer = c.client;
      break;
    }
  return {how, std::move(path), std::move(named_by)};
}

} // namespace

std::vector<server_source> server_sources(const environment& env) {
  std::vector<server_source> sources;
  if (!env.mcp_config_path.empty())
    sources.push_back(named(env, env.mcp_config_path, "MCP_CONFIG_PATH", "MCP_CONFIG_PATH or mcpConfigPath"));
  if (auto other = env.places.find("MCP_SERVERS_CONFIG"); other != env.places.end())
    sources.push_back(named(env, absolute(env, other->second), "MCP_SERVERS_CONFIG", "MCP_SERVERS_CONFIG"));
  bool at_home = is_at_home(env);
  for (auto& c : client_files())
    if (auto path = path_of(env, c.root, c.path, c.moved_by); !path.empty())
      sources.push_back({c, std::move(path), "", c.root == file_root::project && !at_home});
  return sources;
}

std::vector<std::string> files_of(const std::vector<server_source>& sources) {
  std::vector<std::string> out;
  std::error_code ec;
  for (auto& source : sources)
    for (auto& path :
         source.path.find('*') == source.path.npos ? std::vector{source.path} : files_of_folder(source.path).paths)
      if (std::filesystem::exists(path, ec))
        out.push_back(path);
  return out;
}

} // namespace config
