#include "mcp/http_reply.hpp"

#include "mcp/jsonrpc.hpp"
#include "messages/http_limits.hpp"

#include <utility>

namespace mcp {

namespace limits = msg::limits;

namespace {

/// A JSON text as we write it has no ends of lines.
std::string event_text(std::string_view id, std::string_view text) {
  std::string out;
  out.reserve(text.size() + id.size() + 40);
  if (!id.empty())
    out.append("id: ").append(id).append("\n");
  return out.append("event: message\ndata: ").append(text).append("\n\n");
}

} // namespace

http::response json_response(uint16_t status, std::string text, http::headers fields) {
  return {status, "application/json", std::move(text), std::move(fields)};
}

void http_reply::begin(std::string_view id, time_point now) {
  if (std::exchange(is_stream_, true))
    return;
  told_ = now;
  std::string first = ": working\n\n"; // what waits for the first bytes of a stream gets them
  if (!id.empty())
    first = "id: " + std::string{id} + "\nretry: " + std::to_string(limits::http_retry.count()) + "\ndata: \n\n";
  http::response head{200, "text/event-stream", std::move(first), fields_};
  head.fields.push_back({"X-Accel-Buffering", "no"});
  to_->begin(std::move(head));
}

void http_reply::event(std::string_view id, std::string_view text, time_point now) {
  begin({}, now);
  told_ = now;
  to_->write(event_text(id, text));
}

void http_reply::keep_alive(time_point now) {
  begin({}, now);
  told_ = now;
  to_->write(":\n\n");
}

void http_reply::answer(std::string_view id, std::string text, time_point now, uint16_t status) {
  if (!is_stream_)
    return to_->answer(json_response(status, std::move(text), std::move(fields_)));
  event(id, text, now);
  to_->end();
}

void http_reply::give_up() {
  if (is_stream_)
    return to_->end();
  fields_.push_back({"Retry-After", "1"});
  auto why = make_error({}, rpc_error::internal_error, "the session has ended before the answer was there; begin anew");
  to_->answer(json_response(503, why.text(), std::move(fields_)));
}

void http_reply::end() {
  if (is_stream_)
    to_->end();
  else
    to_->answer({202, {}, {}, std::move(fields_)});
}

} // namespace mcp
