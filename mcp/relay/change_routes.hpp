// What a server tells of its changes: lists of tools, prompts and resources, and resources that were subscribed to.
// Each era has its own way to ask for that; every client hears what it has asked for, in the way of its own.
#pragma once

#include "mcp/jsonrpc.hpp"
#include "mcp/relay/server_end.hpp"
#include "mcp/replies.hpp"
#include "mcp/requests_in_flight.hpp"
#include "messages/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp::relay {

/// Of one relay: resources that are subscribed to, and bytes of their URIs, of each and of all: a server of 2026-07-28
/// is told all of them whenever there is one more.
inline constexpr size_t subscribed_resources_max = 10'000;
inline constexpr size_t subscribed_uri_bytes_max = size_t{8} << 10, subscribed_bytes_max = size_t{512} << 10;
/// A server of 2026-07-28 that ends its stream of changes is asked for another one after this, twice as long each time.
inline constexpr std::chrono::milliseconds listen_again_first{1'000}, listen_again_max{300'000};

class change_routes {
public:
  struct parts {
    server_end& server;
    requests_in_flight& open;
    replies& out;
    /// The subscription has ended with that response of the server.
    std::function<void(request_number, const msg::document& response)> ended;
    std::function<void(std::chrono::milliseconds)> listen_later; ///< then listen_again() is to be called
  };

  explicit change_routes(parts with) : with_(std::move(with)) {}

  /// A client has shaken hands, and the server serves: from now on that client hears of everything.
  void serve_client();
  /// The server is gone, and so is what it was asked for: subscriptions that only we know end with that.
  void end(const std::string& why);

  // ---- clients of 2026-07-28
  /// `subscriptions/listen`: that request is open until it is given up, or the server ends it.
  void subscribe(request_number number, const msg::document& message);
  /// It is given up. False: it is none of these.
  bool unsubscribe(request_number number);
  std::vector<request_number> subscriptions() const;
  /// What answers one that ends in order.
  static msg::document last_result(const boost::json::value& id, const boost::json::value& server_info);

  // ---- a client with a handshake, before a server without
  /// False: it has too many, or so long a URI.
  bool watch(std::string uri);
  void unwatch(const std::string& uri);
  void listen_again();

  /// A notification of the server. `to_client`: hands it on to the client with a handshake. False: it is about no
  /// change.
  bool take(const message_view& notification, const msg::document& message, const std::function<void()>& to_client);

private:
  struct subscription {
    boost::json::value id; ///< of the client's request
    boost::json::object wanted;
    std::set<std::string, std::less<>> uris;
    server_request at_server = 0; ///< of a server of 2026-07-28
  };

  void relay_listen(request_number number, subscription& of, const msg::document& message);
  void acknowledge(request_number number, subscription& of);
  void subscribe_resources(const subscription& of);
  void unsubscribe_resources(const subscription& of);
  void tell(request_number number, const subscription& of, const message_view& notification,
            const msg::document& message);
  bool wants(const subscription& of, const message_view& notification) const;
  void ask_about(std::string_view method, const std::string& uri);
  void listen_for_client();
  bool is_declared(std::string_view list, std::string_view what) const;

  parts with_;
  std::map<request_number, subscription> subscriptions_;
  std::map<std::string, size_t, std::less<>> watched_; ///< resources of a server with a handshake, by subscriptions
  // ---- of a client with a handshake
  bool has_client_ = false;
  std::set<std::string, std::less<>> uris_;
  server_request listening_ = 0;
  std::chrono::milliseconds pause_ = listen_again_first;
};

} // namespace mcp::relay
