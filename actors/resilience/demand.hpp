// How many of something that takes time to make should wait ready, by how it was asked for of late. A plain class: the
// time is given.
//
// One that is taken has to be made anew, which takes the time of a start; who comes meanwhile needs another one.
// Little's law gives the mean of that: rate of arrivals x time of a start. What is kept is the peak, because only that
// leaves nobody waiting: the most that came within the time of one start, within the last `idle_after`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>

namespace resilience {

class demand {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  /// At least `rest`, at most `most`; one less after each `idle_after` in which fewer would have done.
  demand(size_t rest, size_t most, duration idle_after)
    : rest_(rest),
      most_(std::max(rest, most)),
      idle_after_(idle_after),
      level_(rest) {}

  /// One was asked for.
  void arrived(time_point now);
  /// One was made in that time.
  void made(duration took);
  /// How many should be ready.
  size_t level(time_point now);
  /// When that sinks, if nobody comes; never: time_point::max().
  time_point sinks_at() const { return level_ > rest_ ? held_until_ : time_point::max(); }

private:
  /// Of the time of a start, until one was measured.
  static constexpr std::chrono::milliseconds first_guess{50};

  size_t rest_, most_;
  duration idle_after_;
  duration start_time_ = first_guess;
  size_t level_;
  time_point held_until_{};
  std::deque<time_point> recent_; ///< within one start time; at most most_ of them
};

} // namespace resilience
