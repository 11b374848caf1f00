// One server of a client's file, in that client's spelling, as we want it.
#pragma once

#include "config/clients.hpp"
#include "config/config_file.hpp"
#include "config/file_problems.hpp"
#include "messages/servers.hpp"

#include <optional>
#include <string>
#include <vector>

namespace config {

struct entry_outcome {
  std::optional<msg::server_entry> entry;  ///< none: it is broken, or no MCP server at all
  std::optional<msg::server_entry> broken; ///< what its client may start all the same
  /// What it says of policy is broken: no other entry may take its name instead.
  bool holds_name = false;
};

/// `part`: where the entry stands in the file. Problems are whole sentences with file, line and column.
entry_outcome read_entry(const client_file& client, const config_file& file, const std::string& part, std::string name,
                         const boost::json::value& value, file_problems& problems);

} // namespace config
