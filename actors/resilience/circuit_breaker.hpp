// Keeps calls away from a server that keeps failing, and finds out when it is well again.
#pragma once

#include "messages/servers.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace resilience {

struct breaker_options {
  uint32_t failures_max = 0; ///< in the window; then it opens
  std::chrono::milliseconds window{0};
  std::chrono::milliseconds open_for{0};
};

/// Closed, open, half-open. The caller brings the clock, which never goes back.
class circuit_breaker {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit circuit_breaker(breaker_options options) : options_(options) {}

  msg::breaker_state state(time_point now) const;
  /// Zero: the call may be made. Half-open, one is let through, and the next one after `open_for` if nothing was heard
  /// of it.
  std::chrono::milliseconds let_through(time_point now);
  /// How long it stays open.
  std::chrono::milliseconds open_time_left(time_point now) const;

  /// The server has answered something.
  void succeeded();
  void failed(time_point now);
  /// The call that was let through was not made after all.
  void withdraw() { trial_at_.reset(); }

private:
  breaker_options options_;
  std::deque<time_point> failures_; ///< in the window; at most failures_max
  time_point open_until_{};
  std::optional<time_point> trial_at_; ///< none: no call is being tried
  bool tripped_ = false;               ///< open or half-open
};

} // namespace resilience
