#include "mcp/http_answer.hpp"

#include "mcp/http_verdict.hpp"

#include <string>
#include <utility>

namespace mcp {

ended_stream end_of(const http_exchange& exchange, bool has_messages) {
  bool is_stream = exchange.is_success() && exchange.kind() == body_kind::events && exchange.problem().empty();
  return {exchange.status(), is_stream, has_messages, exchange.stream().last_id(), exchange.stream().retry()};
}

asio::awaitable<void> read_answer(http_answer_parts parts, std::shared_ptr<http_exchange> exchange,
                                  const sent_message& sent) {
  auto key = sent.key();
  auto& inbox = parts.streams.inbox;
  auto& calls = parts.calls;
  http_resumption rest{awaited::answer};
  asked_stream asked{exchange};
  bool is_first = true;
  for (;; is_first = false) {
    bool has_messages = co_await inbox.take_all(exchange, key);
    if (inbox.is_over() || !calls.is_open(key))
      co_return;
    rest.ended(end_of(*exchange, has_messages));
    if (sent.is_labelled() || rest.last_id().empty() || !rest.goes_on())
      break;
    co_await parts.pauses.wait(rest.pause());
    if (inbox.is_over() || calls.is_given_up(key))
      break;
    stream_wish wish;
    wish.is_wanted = [&calls, key] { return !calls.is_given_up(key); };
    wish.last_event = rest.last_id();
    wish.started = [&calls, key](const std::shared_ptr<http_exchange>& by) { calls.leaves(key, by); };
    asked = co_await ask_for_stream(parts.streams, std::move(wish));
    if (!asked.exchange)
      break;
    exchange = asked.exchange;
  }
  auto why = refusal_of(*exchange, asked.advice, parts.streams.masked);
  if (!is_first)
    why = lost_answer(std::move(why));
  co_await inbox.fail(key, std::move(why));
}

} // namespace mcp
