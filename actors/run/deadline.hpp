// The time of a run: until when it may go on, and how long its calls wait for servers that do not start.
#pragma once

#include "messages/errors.hpp"
#include "proxy/time_out.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace actors::run {

/// Begins when the run has its guest. With each guest in place of one that did not live to have the program it goes on
/// from what that has left of it, so that a timer of the one before comes too early.
class deadline {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;
  /// Answers to requests come before the run's end, or do not matter.
  static constexpr std::chrono::seconds answer_slack{5};
  /// Before the end the run gives calls up whose servers do not start: a fifth of its time and at most so much, in
  /// which the program can still make something of it.
  static constexpr milliseconds margin_max{5'000};
  /// All questions of a run to its person together: three, each of which takes as long as one may.
  static constexpr milliseconds standstill_max{1'800'000};

  deadline() = default;
  deadline(time_point begun, milliseconds timeout) : begun_(begun), timeout_(timeout) {}

  time_point begun() const { return begun_; }
  /// As it is known now.
  time_point end() const { return begun_ + stood_ + timeout_; }
  milliseconds timeout() const { return timeout_; }
  bool is_over(time_point now) const { return !is_standing() && now >= end(); }
  /// The time that passes from now on does not count, until it goes on; never twice in a row.
  void stand_still(time_point now) { standing_since_ = now; }
  void go_on(time_point now);
  bool is_standing() const { return standing_since_.has_value(); }
  /// So long it may stand still from now on, all times together bounded: who waits for ever holds what the run holds.
  milliseconds standstill_left(time_point now) const;
  /// How long a request may take that is made now.
  std::chrono::nanoseconds time_to_answer(time_point now) const;

  /// From the beginning, until calls wait no longer for servers that do not start.
  milliseconds patience() const;
  time_point end_of_patience() const { return begun_ + stood_ + patience(); }
  bool is_nearly_over(time_point now) const { return !is_standing() && now >= end_of_patience(); }
  /// What of that is left to a call that is made now; at least 1.
  uint32_t patience_left_ms(time_point now) const;
  /// Of a call when the run is nearly over: why it waits no longer. Nothing: its server runs, or has been starting for
  /// less than half of the time since the beginning, and may come yet.
  std::optional<msg::fault> gives_up(const proxy::waiting_call& call, time_point now) const;

private:
  time_point begun_{};
  milliseconds timeout_{};
  std::chrono::nanoseconds stood_{}; ///< before now
  std::optional<time_point> standing_since_;
};

} // namespace actors::run
