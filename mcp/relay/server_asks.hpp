// What a server with a handshake asks in requests of its own: they reach the client in the middle of whose request they
// come, in the words of its era.
#pragma once

#include "mcp/client_questions.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/relay/server_end.hpp"
#include "mcp/replies.hpp"
#include "mcp/requests_in_flight.hpp"
#include "messages/document.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace mcp::relay {

/// Of one server at once, without an answer.
inline constexpr size_t server_asks_max = 200;

class server_asks {
public:
  struct parts {
    server_end& server;
    requests_in_flight& open;
    client_questions& questions;
    /// The request that is taken for the one in the middle of which a server asks; 0: none.
    std::function<request_number()> likely;
    /// That request can not be carried out: its client lacks an ability (`requiredCapabilities`).
    std::function<void(request_number, const boost::json::object& wanted)> lacks;
  };

  explicit server_asks(parts with) : with_(std::move(with)) {}

  /// `in`: the request in the middle of which it came; 0: none. `has_client`: one has shaken hands, and is asked unless
  /// that request is of another era.
  void take(const message_view& request, const msg::document& message, request_number in, bool has_client);
  /// notifications/cancelled of the server. False: it is about none of these.
  bool cancelled(const message_view& notification);
  /// The server is gone: nobody waits for answers.
  void end();

private:
  void relay(const message_view& request, const msg::document& message, stream_number stream);
  void ask(const message_view& request, const msg::document& message, request_number in);
  bool moves_on(const msg::document& message, request_number in, const msg::outcome<msg::document>& said);
  void refuse(const boost::json::value& id, int32_t code, const std::string& why);
  bool is_new(const message_view& request);

  parts with_;
  std::map<std::string, uint64_t> open_; ///< numbers of client_questions, by the text of the server's id
};

} // namespace mcp::relay
