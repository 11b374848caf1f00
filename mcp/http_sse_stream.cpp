#include "mcp/http_sse_stream.hpp"

#include "mcp/http_verdict.hpp"
#include "messages/limits.hpp"

#include <optional>
#include <utility>

namespace mcp {

using asio::awaitable;
using msg::errc;
using msg::fault;

awaitable<std::shared_ptr<http_exchange>> http_sse_stream::ask() {
  co_await parts_.identity.renew();
  if (parts_.inbox.is_over())
    co_return nullptr;
  auto exchange = parts_.exchanges.start(parts_.session.stream({}));
  co_await exchange->until_head();
  co_await exchange->until_quote();
  co_return exchange;
}

awaitable<fault> http_sse_stream::read(std::function<void()> may_send, std::string refusal) {
  authorization_advice advice;
  auto exchange = co_await ask();
  if (exchange && verdict_of(*exchange, false) == http_verdict::unauthorized) {
    advice = co_await parts_.identity.refused(exchange, parts_.session.authorization());
    if (advice.is_to_be_repeated)
      exchange = co_await ask();
  }
  if (!exchange)
    co_return fault{errc::server_died, "was left"};
  if (!exchange->is_success() || exchange->kind() != body_kind::events) {
    auto why = advice.why.empty() ? refusal_of(*exchange, parts_.masked) : advice.why;
    if (!refusal.empty())
      why = refusal + "; asked for a stream of events (SSE) it " + why;
    co_return fault{advice.needs_login ? errc::needs_login : errc::server_died, std::move(why)};
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
