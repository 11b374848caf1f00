// A connection to an MCP server over HTTP: Streamable HTTP of both eras, and HTTP with SSE of 2024-11-05.
#pragma once

#include "http/client.hpp"
#include "mcp/connection.hpp"
#include "mcp/http_authorization.hpp"
#include "mcp/request_labels.hpp"
#include "messages/servers.hpp"
#include "process/common_budget.hpp"

#include <asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mcp {

/// What every connection over HTTP shares. All of it outlives the connections.
struct http_environment {
  asio::any_io_executor executor;
  std::function<asio::any_io_executor()> worker;  ///< a new one for each connection: parses and writes what is large
  std::shared_ptr<http::client> client;           ///< one pool of connections for all of them
  std::shared_ptr<process::common_budget> unread; ///< for what has come of answers, of all servers; may be null
};

/// Where a server is.
struct http_target {
  std::string name; ///< of the server, in errors
  std::string url;
  http::headers fields; ///< of every request, beside those of the protocol
  /// `automatic`: Streamable HTTP, and HTTP with SSE where that is not understood.
  msg::transport_kind transport = msg::transport_kind::automatic;
  std::vector<std::string> secrets;                       ///< that nobody is told
  std::shared_ptr<http_authorization> authorization = {}; ///< null: `fields` say all that there is to say
  /// Of faults on purpose; may be null. Asked before each request: what it is answered with instead of being sent.
  std::function<std::optional<http::client_result>(const request_subject& about)> refuse = {};
};

/// Of what has no labels, the first message that it is sent has to be `initialize`, and the first notification what
/// ends the handshake: they are kept for a session that the server loses. A message with labels is of no session. A
/// session is begun anew, and a message repeated once, only where the server surely has not carried it out. A request
/// that gets no answer is answered with an error of JSON-RPC here.
std::shared_ptr<connection> open_http(http_environment& environment, http_target where, connection_events events);

} // namespace mcp
