// What goes wrong with one MCP server, said of it by name.
#pragma once

#include "messages/errors.hpp"

#include <string>

namespace child {

/// `what` goes on from the server's name.
inline msg::fault server_fault(const std::string& server, msg::errc code, const std::string& what) {
  return msg::fault{code, "server '" + server + "' " + what}.at(server);
}

} // namespace child
