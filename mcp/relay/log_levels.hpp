// How much of a server's log each client wants: one level for a client with a handshake, one for each request of a
// client of 2026-07-28.
#pragma once

#include "mcp/jsonrpc.hpp"

#include <string>
#include <string_view>

namespace mcp::relay {

/// `io.modelcontextprotocol/logLevel` of a request; empty: nothing of the log is wanted in its answer.
std::string_view level_of_request(const message_view& request);
bool is_level_name(std::string_view text);
/// Whether something of that level is to be told to who wants `least`. A level that is none is told to nobody.
bool is_wanted(std::string_view level, std::string_view least);

class log_levels {
public:
  /// Of a client with a handshake, for a server without.
  void want(std::string_view level) { client_level_ = level; }
  const std::string& of_client() const { return client_level_; }
  /// A request wants that level of a server with a handshake. True: that is more than it was asked for so far; it is to
  /// be told (`logging/setLevel`).
  bool is_more(std::string_view level);
  /// The server is another one.
  void forget() { asked_for_.clear(); }

private:
  std::string client_level_;
  std::string asked_for_; ///< of the server; empty: nothing
};

} // namespace mcp::relay
