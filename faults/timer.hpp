// The time that delayed faults take: that of the machine, unless a simulation has another one.
#pragma once

#include <asio/basic_waitable_timer.hpp>

#include <chrono>

namespace faults {

struct clock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;
  using source = time_point (*)();

  static time_point now() { return simulated ? simulated() : std::chrono::steady_clock::now(); }

  /// Null: that of the machine. Set by a simulation before there is any timer; then timers end when the context is
  /// polled.
  static inline source simulated = nullptr;
  /// In a simulation: asio has told the kernel of a timer since this was last false. It looks at its own when the
  /// kernel has ended that one, which is at once and yet a moment later.
  static inline bool is_kernel_told = false;
};

/// How long asio may sleep before it looks at the clock.
struct clock_wait {
  static clock::duration to_wait_duration(const clock::duration& left) {
    if (!clock::simulated)
      return left;
    clock::is_kernel_told = true;
    return clock::duration{0};
  }
  static clock::duration to_wait_duration(const clock::time_point& end) { return to_wait_duration(end - clock::now()); }
};

using delay_timer = asio::basic_waitable_timer<clock, clock_wait>;

} // namespace faults
