// Which MCP servers exist: the union of all client configurations that are found.
#pragma once

#include "config/environment.hpp"
#include "messages/servers.hpp"

#include <string>
#include <vector>

namespace config {

/// A file that may list servers. In order of precedence: of two entries with one name the earlier file's counts.
struct server_source {
  std::string path;
  const char* container; ///< the key that holds the entries
  bool required = false; ///< its absence is worth a warning: somebody named it
};

/// All places that are looked at. A new client is a new line here.
std::vector<server_source> server_sources(const environment& env);

struct server_list {
  std::vector<msg::server_entry> entries; ///< in order of name
  std::vector<std::string> files;         ///< that were read
  std::vector<std::string> problems;      ///< files and entries that could not be used, and why: whole sentences
};

/// Reads every source; what is broken is reported and the rest used. Entries that would start `own_executable` again
/// are left out.
server_list load_servers(const environment& env, const std::string& own_executable);

} // namespace config
