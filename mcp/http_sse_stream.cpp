#include "mcp/http_sse_stream.hpp"

#include "mcp/http_verdict.hpp"
#include "messages/limits.hpp"

#include <optional>
#include <utility>

namespace mcp {

using asio::awaitable;
using msg::errc;
using msg::fault;

awaitable<fault> http_sse_stream::read(std::function<void()> may_send, std::string refusal) {
  stream_wish wish;
  auto asked = co_await ask_for_stream(parts_, std::move(wish));
  auto& exchange = asked.exchange;
  if (!exchange)
    co_return fault{errc::server_died, "was left"};
  if (!exchange->is_success() || exchange->kind() != body_kind::events) {
    auto why = refusal_of(*exchange, asked.advice, parts_.masked);
    if (!refusal.empty())
      why = refusal + "; asked for a stream of events (SSE) it " + why;
    co_return fault{asked.advice.needs_login ? errc::needs_login : errc::server_died, std::move(why)};
  }
  for (;;) {
    auto event = co_await parts_.inbox.next(exchange);
    if (!event)
      break;
    if (event->name != "endpoint") {
      if (event->is_message())
        co_await parts_.inbox.take(std::move(event->data), 0, body_kind::events);
      continue;
    }
    if (!parts_.session.post_to(event->data))
      co_return fault{errc::protocol_violation,
                      "wants its messages at another server, which is not done: "
                        + masked_excerpt(event->data, msg::limits::child_quote_bytes_max, parts_.masked)};
    may_send();
  }
  co_return fault{errc::server_died, "ended its stream of events"};
}

} // namespace mcp
