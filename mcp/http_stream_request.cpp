#include "mcp/http_stream_request.hpp"

#include "mcp/http_verdict.hpp"

#include <utility>

namespace mcp {

asio::awaitable<asked_stream> ask_for_stream(http_stream_parts parts, stream_wish wish) {
  asked_stream out;
  said_authorization said;
  for (bool is_repeated = true; is_repeated;) {
    is_repeated = false;
    out.exchange.reset();
    co_await parts.identity.renew();
    if (parts.inbox.is_over() || (wish.is_wanted && !wish.is_wanted()))
      co_return out;
    said.value = parts.session.authorization();
    out.exchange = parts.exchanges.start(parts.session.stream(wish.last_event));
    if (wish.started)
      wish.started(out.exchange);
    co_await out.exchange->until_head();
    co_await out.exchange->until_quote();
    if (out.exchange->is_success())
      co_await parts.identity.accepted(said);
    bool is_for_us = verdict_of(*out.exchange, false) == http_verdict::unauthorized;
    if (!is_for_us || wish.then == at_refusal::nothing || (said.was_renewed && wish.then == at_refusal::renewal))
      co_return out;
    out.advice = co_await parts.identity.refused(out.exchange, said);
    is_repeated = out.advice.is_to_be_repeated && !said.was_renewed;
    if (is_repeated)
      said.was_renewed = out.was_renewed = true;
  }
  co_return out;
}

} // namespace mcp
