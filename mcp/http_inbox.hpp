// What comes of a server over HTTP, on its way to whoever waits for it.
#pragma once

#include "mcp/connection.hpp"
#include "mcp/http_calls.hpp"
#include "mcp/http_exchange.hpp"
#include "mcp/http_outbox.hpp"
#include "mcp/http_session.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/secret_mask.hpp"
#include "process/pauses.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace mcp {

/// Of one connection. All of it outlives the inbox.
struct http_inbox_parts {
  asio::any_io_executor worker;
  http_session& session;
  http_calls& calls;
  const http_outbox& outbox; ///< while it is crowded no more is read
  process::pauses& pauses;
  connection_events& events;
  const secret_mask& mask;
};

class http_inbox {
public:
  explicit http_inbox(http_inbox_parts parts) : parts_(std::move(parts)) {}

  /// All messages of an answer, to its end. True: there were some. `key`: of the request that it answers; 0: none.
  asio::awaitable<bool> take_all(std::shared_ptr<http_exchange> exchange, uint64_t key);
  /// The next event, when there is time for it; empty: there is no other.
  asio::awaitable<std::optional<exchange_event>> next(std::shared_ptr<http_exchange> exchange);
  asio::awaitable<void> take(std::string text, uint64_t key, body_kind kind);
  /// The server's tools may be others than those that it has listed: it could not say so.
  asio::awaitable<void> tell_missed();
  /// The request gets no answer of the server: `why` is the rest of a sentence about it. Nothing, if it has one.
  /// `code`: of the error that it gets.
  asio::awaitable<void> fail(uint64_t key, std::string why, int32_t code = rpc_error::unanswered);
  /// From now on nothing is told.
  void end() { is_over_ = true; }
  bool is_over() const { return is_over_; }
  /// For errors: printable, without secrets.
  std::string told(std::string why) const;

private:
  http_inbox_parts parts_;
  bool is_over_ = false;
};

} // namespace mcp
