// What goes wrong with one MCP server, said of it by name.
#pragma once

#include "messages/errors.hpp"
#include "proxy/time_out.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace child {

/// `what` goes on from the server's name.
inline msg::fault server_fault(const std::string& server, msg::errc code, const std::string& what) {
  return msg::fault{code, "server '" + server + "' " + what}.at(server);
}

/// Of its start. `by_setting`: that is how long it had to be.
inline std::string no_handshake_within(std::chrono::milliseconds time, bool by_setting) {
  return "did not answer the handshake within " + proxy::seconds_text(static_cast<uint64_t>(time.count()))
         + (by_setting ? " (servers.startTimeoutMs)" : "");
}

} // namespace child
