// What a server over HTTP says by itself, before 2026-07-28: it comes by a stream of its own, if the server has one.
#pragma once

#include "mcp/http_resumption.hpp"
#include "mcp/http_stream_request.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace mcp {

/// Of one connection: a session has one stream after the other.
class http_own_stream {
public:
  http_own_stream(const asio::any_io_executor& executor, http_stream_parts parts) : parts_(parts), timer_(executor) {}

  /// As long as the session lasts, or until the server says that it has none. One for each session.
  asio::awaitable<void> listen();
  /// The session is lost.
  void leave();
  /// Something has just gone well: a stream that could not be had for a while is asked for soon.
  void server_works();
  /// Nobody waits any more.
  void end();

private:
  using time_point = std::chrono::steady_clock::time_point;

  bool is_of_now(uint64_t session) const;
  asio::awaitable<void> pause(http_resumption& rest, uint64_t session);

  http_stream_parts parts_;
  std::weak_ptr<http_exchange> exchange_;
  asio::steady_timer timer_; ///< until it is asked for again
  time_point not_before_{};
  bool is_pausing_ = false;
  bool is_hurried_ = false;
};

} // namespace mcp
