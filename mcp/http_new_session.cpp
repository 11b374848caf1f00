#include "mcp/http_new_session.hpp"

#include "mcp/http_sent_message.hpp"
#include "mcp/http_verdict.hpp"
#include "messages/limits.hpp"
#include "process/json_reader.hpp"

#include <chrono>
#include <memory>

namespace mcp {

using asio::awaitable;

namespace {

/// Whether there is an answer to an `initialize` that was sent once more: nobody else waits for it.
awaitable<bool> is_answered_anew(asio::any_io_executor worker, std::shared_ptr<http_exchange> exchange,
                                 http_session& session) {
  for (;;) {
    auto event = co_await exchange->next();
    if (!event)
      co_return false;
    auto message = co_await process::read_json_message(worker, event->data, msg::limits::run_held_bytes_max);
    if (session.take_second_answer(message.value.value()))
      co_return true;
  }
}

} // namespace

awaitable<std::string> begin_session(asio::any_io_executor worker, http_exchanges& exchanges, http_session& session,
                                     const masking& masked) {
  auto exchange = exchanges.start(session.request(http_purpose::handshake, session.initialize()));
  co_await exchange->until_head();
  co_await exchange->until_quote();
  if (!exchange->is_success())
    co_return refusal_of(*exchange, masked);
  if (auto problem = session.take_head(exchange->fields()); !problem.empty())
    co_return problem;
  bool is_answered = co_await is_answered_anew(worker, exchange, session);
  if (!is_answered)
    co_return refusal_of(*exchange, masked);
  auto last = exchanges.start(session.request(http_purpose::note, session.initialized()));
  co_await last->until_head(std::chrono::steady_clock::now() + http_end_of_handshake_max);
  co_return std::string{};
}

} // namespace mcp
