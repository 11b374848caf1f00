#include "mcp/relay/server_words.hpp"

#include "mcp/envelope.hpp"
#include "mcp/fields.hpp"
#include "mcp/relay/log_levels.hpp"
#include "mcp/relay/member_changes.hpp"
#include "text/json_text.hpp"

#include <string>

namespace mcp::relay {

namespace json = boost::json;

void server_words::take(const message_view& notification, const msg::document& message, server_request during) {
  auto method = notification.method;
  auto* request = with_.open.find(with_.during(during));
  bool is_of_handshake = request && has_handshake(request->from->spoken);
  auto stream = is_of_handshake ? request->path.stream : stream_number{0};
  if (method == "notifications/progress")
    return tell_progress(notification, message);
  if (method == "notifications/cancelled")
    return with_.asks.cancelled(notification) ? void() : with_.server.cancelled(notification);
  if (method == "notifications/message")
    return tell_log(notification, message, during);
  if (!with_.changes.take(notification, message, [&] { tell_client(notification, message, 0); }) && with_.has_client())
    tell_client(notification, message, stream);
}

void server_words::tell_client(const message_view& notification, const msg::document& message, stream_number stream) {
  auto head = R"({"jsonrpc":"2.0","method":)" + text::to_text(json::value(notification.method));
  if (!with_.out.is_read())
    return;
  if (!notification.params)
    return with_.out.send(msg::spliced_text{head + "}"}, stream, outgoing::kind::notification);
  head += R"(,"params":)";
  member_changes changes;
  auto* meta = object_in(notification.params, "_meta");
  if (meta && meta->contains(meta_key::subscription))
    changes.dropped = {"_meta"}; // of our own subscription
  with_.out.send(with_changes(std::move(head), message, *notification.params, std::move(changes), "}"), stream,
                 outgoing::kind::notification);
}

void server_words::tell_progress(const message_view& notification, const msg::document& message) {
  auto* token = notification.params ? notification.params->if_contains("progressToken") : nullptr;
  boost::system::error_code ec;
  auto at_server = token && token->is_number() ? token->to_number<server_request>(ec) : 0;
  auto* request = ec ? nullptr : with_.open.find(with_.numbered(at_server));
  if (!request || request->progress_token.is_null() || !with_.out.is_read())
    return;
  member_changes changes;
  changes.set["progressToken"] = request->progress_token;
  with_.out.send(with_changes(R"({"jsonrpc":"2.0","method":"notifications/progress","params":)", message,
                              *notification.params, std::move(changes), "}"),
                 request->path.stream, outgoing::kind::notification);
}

/// To the client of the request that it is about. One of 2026-07-28 has asked for it there, or gets nothing.
void server_words::tell_log(const message_view& notification, const msg::document& message, server_request during) {
  auto number = with_.during(during);
  auto* request = with_.open.find(number);
  bool is_of_handshake = !request || has_handshake(request->from->spoken);
  if (is_of_handshake) {
    if (with_.has_client())
      tell_client(notification, message, request ? request->path.stream : stream_number{0});
    return;
  }
  auto level = string_in(notification.params, "level");
  if (is_wanted(level, with_.log_level(number)))
    tell_client(notification, message, request->path.stream);
}

} // namespace mcp::relay
