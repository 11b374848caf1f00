// A connection to an MCP server that is a child process: JSON lines on its stdin and stdout, its log on stderr.
#pragma once

#include "mcp/connection.hpp"
#include "messages/errors.hpp"
#include "process/child.hpp"
#include "process/common_budget.hpp"

#include <asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace mcp {

/// What every stdio connection shares. All of it outlives the connections.
struct stdio_environment {
  asio::any_io_executor executor;
  std::function<asio::any_io_executor()> worker; ///< a new one for each connection: parses and writes what is large
  /// For what has come of lines that have not ended, or are not read yet: of all servers together. Null: it has no
  /// limit but that of each line.
  std::shared_ptr<process::common_budget> unread_lines = {};
};

/// Starts the child. `name` is used in the log. The fault (server_start_failed) says why the process did not start.
msg::outcome<std::shared_ptr<connection>> open_stdio(stdio_environment& environment, std::string name,
                                                     process::launch what, connection_events events);

} // namespace mcp
