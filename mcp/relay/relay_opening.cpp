// The beginning of a connection to the server, and its end.
#include "mcp/relay/relay.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace mcp::relay {

namespace json = boost::json;
using msg::errc;
using msg::fault;

void relay::want_server(opening first) {
  if (is_connecting_ || server_.is_connected())
    return;
  first_ = first;
  is_connecting_ = true;
  callbacks_.connect();
}

void relay::connected(std::shared_ptr<connection> by) {
  is_connecting_ = false;
  has_initialized_ = has_left_some_ = false;
  callbacks_.set_timer(timer::handshake, msg::limits::child_handshake_timeout);
  if (first_ == opening::discover)
    callbacks_.set_timer(timer::discovery, discovery_patience);
  server_.open(std::move(by), first_, client_);
}

void relay::server_opened(const fault& why) {
  if (why.code != errc::none) {
    server_.kill();
    return disconnected(why);
  }
  was_legacy_ = !server_.is_modern();
  std::vector<request_number> waiting;
  for (auto& [number, what] : relayed_)
    if (what.is_waiting)
      waiting.push_back(number);
  if (!messages_.client())
    end_handshake();
  for (auto number : waiting)
    if (relayed_.contains(number))
      carry_out(number);
}

/// Once; a server of 2026-07-28 knows of none.
void relay::end_handshake() {
  if (!server_.is_modern() && !std::exchange(has_initialized_, true))
    server_.tell(make_notification("notifications/initialized", {}));
}

void relay::disconnected(const fault& why) {
  bool is_process = !server_.says_labels();
  bool may_be_asked_otherwise = is_process && server_.is_opening() && first_ == opening::discover;
  bool was_serving = server_.serves();
  is_connecting_ = false;
  if (may_be_asked_otherwise) { // some end at what is not `initialize`
    is_connecting_ = true;
    first_ = opening::initialize;
    server_.closed(why);
    return callbacks_.connect();
  }
  server_.closed(why);
  asks_.end();
  changes_.end(why.message);
  levels_.forget();
  mirrored_.forget();
  for (auto number : inputs_.drop_all())
    refuse(number, {rpc_error::internal_error, text_of(why), {}});
  if (!was_serving)
    messages_.shaken_hands(nullptr);
  while (!relayed_.empty())
    refuse(relayed_.begin()->first, {rpc_error::internal_error, text_of(why), {}});
  if (was_serving && messages_.client())
    callbacks_.over(text_of(why));
}

/// A server with a handshake has answered it itself.
void relay::answer_handshake(request_number number, const relayed_request& what) {
  requester from = *what.from;
  auto id = classify(what.message.value()).id;
  bool is_its_own = !server_.is_modern() && server_.introduced_as().version == client_.version;
  auto result = server_.hello();
  if (server_.is_modern()) {
    result = msg::document{json::value(handshake_of(server_.hello(), from.spoken))};
  } else {
    from.spoken = std::min(from.spoken, server_.spoken());
    if (!is_its_own) { // it has shaken hands with another client of this connection
      auto said = server_.hello().value().get_object();
      said["protocolVersion"] = name_of(from.spoken);
      result = msg::document{json::value(std::move(said))};
    }
  }
  messages_.shaken_hands(std::make_shared<const requester>(std::move(from)));
  changes_.serve_client();
  finish(number, make_response(id, result));
}

void relay::answer_discovery(request_number number) {
  auto id = open_.find(number)->id;
  auto result = server_.is_modern() ? server_.hello().value().get_object() : discovery_of(server_.hello());
  result["supportedVersions"] = served_revisions();
  finish(number, make_response(id, msg::document{json::value(std::move(result))}));
}

} // namespace mcp::relay
