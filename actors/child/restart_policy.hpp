// When the process of a server may be started, and when it may be called: after failures in a row it is left alone for
// ever longer, within a minute it is started so many times, and while its breaker is open no run calls it.
#pragma once

#include "actors/resilience/back_off.hpp"
#include "actors/resilience/circuit_breaker.hpp"
#include "messages/errors.hpp"
#include "messages/limits.hpp"
#include "messages/servers.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <random>
#include <string>

namespace child {

/// A server that wants a login is asked again after so long: a person may have logged in meanwhile, programs ask at
/// once.
inline constexpr std::chrono::milliseconds login_pause{500};

struct restart_limits {
  resilience::breaker_options breaker;
  uint32_t starts_per_minute = 0;
};

/// Of one server. The caller brings the clock, which never goes back.
class restart_policy {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Each back-off is drawn from [1/2, 1] of its full length.
  restart_policy(std::string server, restart_limits limits, uint64_t jitter_seed);
  /// Its entry can not be started at all, and why.
  void never(std::string why);

  // ---- what may be done: errc::none, or why not, and from when on
  /// Whether a process may be started.
  msg::fault may_start(time_point now);
  /// Whether the breaker lets a request through. Half-open, it lets one through: of that call_succeeded(),
  /// call_failed() or call_withdrawn() is told.
  msg::fault may_be_called(time_point now);

  // ---- what has happened
  /// A process is being started: it counts, whether may_start() was asked or not.
  void started(time_point now);
  /// It has shaken hands, and listed its tools.
  void became_ready(time_point now);
  void start_failed(std::string why, time_point now);
  /// It wants a login: that is no failure of its own and no start, so a login counts soon, however often it was asked.
  void login_is_wanted(std::string why, time_point now);
  /// It is not waited for any more.
  void login_came() { login_retry_at_ = {}; }
  /// One that was ready has ended by itself. If it had run well for long enough, earlier failures are forgiven.
  void died(std::string why, time_point now);
  void call_succeeded() { breaker_.succeeded(); }
  /// It took too long.
  void call_failed(std::string why, time_point now);
  /// It was not made, or no caller waited for its end: that says nothing about the server.
  void call_withdrawn() { breaker_.withdraw(); }

  // ---- how it is
  /// Zero: it is not left alone any more.
  std::chrono::milliseconds back_off_left(time_point now) const;
  /// It is left alone, and not for longer than a call would wait.
  bool backs_off_within(std::chrono::milliseconds patience, time_point now) const {
    return now < retry_at_ && retry_at_ - now < patience;
  }
  msg::breaker_state breaker(time_point now) const { return breaker_.state(now); }
  /// Until back-off and breaker let a call through.
  std::chrono::milliseconds retry_after(time_point now) const;
  /// Empty: there was none since it became ready.
  const std::string& last_error() const { return last_error_; }

private:
  void leave_alone(std::string why, time_point now);
  msg::fault later(const std::string& what, std::chrono::milliseconds wait) const;

  std::string server_;
  restart_limits limits_;
  std::mt19937_64 random_;
  resilience::circuit_breaker breaker_;
  std::string never_;             ///< why it can not be started at all; empty: it can
  std::deque<time_point> starts_; ///< within the last minute; the last ones, as many as may be
  resilience::back_off back_off_{msg::limits::child_backoff_first, msg::limits::child_backoff_max};
  time_point ready_since_{};
  time_point retry_at_{};
  time_point login_retry_at_{};
  std::string last_error_;
};

} // namespace child
