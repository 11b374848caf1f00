#include "mcp/http_inbox.hpp"

#include "messages/limits.hpp"
#include "process/json_reader.hpp"
#include "text/printable.hpp"

#include <utility>

namespace mcp {

namespace limits = msg::limits;
using asio::awaitable;

namespace {

/// Until it is looked again whether the server has taken what waits for it.
constexpr std::chrono::milliseconds crowded_pause{20};

} // namespace

awaitable<bool> http_inbox::take_all(std::shared_ptr<http_exchange> exchange, uint64_t key) {
  bool has_messages = false;
  while (!is_over_ && exchange->is_success()) {
    auto event = co_await next(exchange);
    if (!event)
      break;
    if (!event->is_message())
      continue;
    has_messages = true;
    co_await take(std::move(event->data), key, exchange->kind());
  }
  co_return has_messages;
}

awaitable<std::optional<exchange_event>> http_inbox::next(std::shared_ptr<http_exchange> exchange) {
  while (!is_over_ && parts_.outbox.is_crowded())
    co_await parts_.pauses.wait(crowded_pause);
  auto event = co_await exchange->next();
  co_return event;
}

awaitable<void> http_inbox::take(std::string text, uint64_t key, body_kind kind) {
  auto event =
    co_await process::read_json_message(parts_.worker, text, limits::run_held_bytes_max, parts_.events.text_is);
  if (is_over_)
    co_return;
  if (event.what == process::json_event::kind::message) {
    parts_.session.take_message(event.value.value());
    parts_.calls.take_answers(event.value.value());
    co_await parts_.events.received(std::move(event.value), key);
    co_return;
  }
  auto quote = text::printable(parts_.mask(std::move(event.text), true));
  bool is_broken = event.what == process::json_event::kind::malformed;
  if (key != 0 && (kind == body_kind::json || !is_broken))
    co_await fail(key, "answered with what could not be read: " + event.problem + ": " + quote);
  else if (is_broken)
    co_await parts_.events.non_protocol_line(std::move(quote));
}

awaitable<void> http_inbox::tell_missed() {
  if (!is_over_ && parts_.events.missed)
    co_await parts_.events.missed();
}

awaitable<void> http_inbox::fail(uint64_t key, std::string why, int32_t code) {
  if (is_over_ || !parts_.calls.is_open(key))
    co_return;
  parts_.calls.end(key);
  auto answer = error_answer(key, told("server '" + parts_.session.name() + "' " + why), code);
  co_await parts_.events.received(std::move(answer), key);
}

std::string http_inbox::told(std::string why) const { return text::printable(parts_.mask(std::move(why), false)); }

} // namespace mcp
