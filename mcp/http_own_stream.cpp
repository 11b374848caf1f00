#include "mcp/http_own_stream.hpp"

#include "mcp/http_answer.hpp"
#include "process/no_throw.hpp"

#include <algorithm>
#include <utility>

namespace mcp {

using asio::awaitable;
using std::chrono::steady_clock;

awaitable<void> http_own_stream::listen() {
  http_resumption rest{awaited::anything};
  auto session = parts_.session.number();
  bool helps_renewal = true; // else a server that lets nobody listen would cost a token each time
  while (rest.goes_on() && is_of_now(session)) {
    stream_wish wish;
    wish.last_event = rest.last_id();
    wish.then = helps_renewal ? at_refusal::renewal : at_refusal::nothing;
    wish.is_wanted = [this, session] { return is_of_now(session); };
    wish.started = [this](const std::shared_ptr<http_exchange>& exchange) { exchange_ = exchange; };
    auto asked = co_await ask_for_stream(parts_, std::move(wish));
    if (!asked.exchange)
      break;
    helps_renewal = asked.exchange->is_success() || (helps_renewal && !asked.was_renewed);
    bool has_messages = false;
    if (asked.exchange->is_success() && asked.exchange->kind() == body_kind::events) {
      if (rest.last_id().empty()
          && parts_.session.announces_changes()) // also at the start: the first list may have been read before
        co_await parts_.inbox.tell_missed();
      has_messages = co_await parts_.inbox.take_all(asked.exchange, 0);
    }
    rest.ended(end_of(*asked.exchange, has_messages));
    asked.exchange.reset();
    if (rest.goes_on())
      co_await pause(rest, session);
  }
}

bool http_own_stream::is_of_now(uint64_t session) const {
  return !parts_.inbox.is_over() && parts_.session.number() == session;
}

awaitable<void> http_own_stream::pause(http_resumption& rest, uint64_t session) {
  auto now = steady_clock::now();
  not_before_ = now + rest.hurried_pause();
  timer_.expires_at(now + rest.pause());
  is_pausing_ = true;
  is_hurried_ = false;
  while (is_of_now(session) && steady_clock::now() < timer_.expiry())
    co_await timer_.async_wait(process::no_throw);
  is_pausing_ = false;
  if (is_hurried_)
    rest.hurried();
}

void http_own_stream::server_works() {
  auto at = std::max(steady_clock::now(), not_before_);
  if (!is_pausing_ || at >= timer_.expiry())
    return;
  is_hurried_ = true;
  timer_.expires_at(at); // who waits looks at it again
}

void http_own_stream::leave() {
  if (auto open = exchange_.lock())
    open->cancel();
  timer_.cancel();
}

void http_own_stream::end() { timer_.cancel(); }

} // namespace mcp
