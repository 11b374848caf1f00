// The environment variables of the program, read once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Value of a variable; empty: not set.
using variable_lookup = std::function<std::string(std::string_view)>;
/// PATH without its relative folders, see below.
variable_lookup process_environment();

/// Of a PATH. In the others (`.`, `node_modules/.bin`, an empty one) lies what the project has brought, and the user
/// has not approved: nothing is looked for there, here or in the servers that are started.
std::string absolute_folders(std::string_view search_path);

struct environment {
  std::string home;
  std::string cwd;
  std::string path;
  std::string mcp_config_path;                ///< MCP_CONFIG_PATH
  std::vector<std::string> connected_servers; ///< CONNECTED_SERVERS, a comma list
  std::string deno;                           ///< DENO_PATH
  std::string python;                         ///< PYTHON_PATH
  /// Where MCP clients keep their files: those of place_variables() that are set.
  std::map<std::string, std::string, std::less<>> places;
};

environment read_environment(const variable_lookup& variable, std::string cwd);

} // namespace config
