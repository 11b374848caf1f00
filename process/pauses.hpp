// Waiting for some time in coroutines, which all go on at once when their owner ends.
#pragma once

#include "process/no_throw.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <set>
#include <utility>

namespace process {

/// Lives longer than those who wait.
class pauses {
public:
  explicit pauses(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  asio::awaitable<void> wait(std::chrono::milliseconds time) {
    asio::steady_timer timer{executor_, time};
    timers_.insert(&timer);
    if (!has_ended_)
      co_await timer.async_wait(no_throw);
    timers_.erase(&timer);
  }

  /// From now on nobody waits.
  void end() {
    has_ended_ = true;
    for (auto* timer : timers_)
      timer->cancel();
  }

private:
  asio::any_io_executor executor_;
  std::set<asio::steady_timer*> timers_;
  bool has_ended_ = false;
};

} // namespace process
