// What a server says by itself: progress, its log, changes, and whatever else; each to the client that it is for.
#pragma once

#include "mcp/jsonrpc.hpp"
#include "mcp/relay/change_routes.hpp"
#include "mcp/relay/server_asks.hpp"
#include "mcp/relay/server_end.hpp"
#include "mcp/replies.hpp"
#include "mcp/requests_in_flight.hpp"
#include "messages/document.hpp"

#include <functional>
#include <string_view>
#include <utility>

namespace mcp::relay {

class server_words {
public:
  struct parts {
    server_end& server;
    server_asks& asks;
    change_routes& changes;
    requests_in_flight& open;
    replies& out;
    /// On which request a message comes, by the server's number of it, or 0 if that is not told; 0: on none.
    std::function<request_number(server_request)> during;
    /// Which request that number of the server's is; 0: none.
    std::function<request_number(server_request)> numbered;
    std::function<std::string_view(request_number)> log_level; ///< that the request wants; empty: none
    std::function<bool()> has_client;                          ///< one has shaken hands
  };

  explicit server_words(parts with) : with_(std::move(with)) {}

  void take(const message_view& notification, const msg::document& message, server_request during);

private:
  void tell_client(const message_view& notification, const msg::document& message, stream_number stream);
  void tell_progress(const message_view& notification, const msg::document& message);
  void tell_log(const message_view& notification, const msg::document& message, server_request during);

  parts with_;
};

} // namespace mcp::relay
