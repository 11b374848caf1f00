// Starts of guests, one after the other. A start takes the thread for 2 ms, on a busy machine for 20 ms; between two of
// them whatever else waits for the thread has it for as long, so that in a burst of starts others do not wait for all.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include <deque>
#include <functional>
#include <memory>

namespace sandbox {

/// For one thread. What waits here is bounded by whoever may start guests: admission, sessions and pools.
class start_turns : public std::enable_shared_from_this<start_turns> {
public:
  explicit start_turns(const asio::any_io_executor& executor) : pause_(executor) {}

  /// Calls `start`, which must not throw: before it returns when nothing waits and the last start is long enough ago.
  void enter(std::function<void()> start);

private:
  void next();

  std::deque<std::function<void()>> waiting_;
  asio::steady_timer pause_;
  bool pausing_ = false;
};

} // namespace sandbox
