// For how long no caller has needed a server, and when it is stopped for that.
#pragma once

#include <algorithm>
#include <chrono>

namespace child {

/// The caller brings the clock, which never goes back.
class idle_clock {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Zero: it is never stopped for being idle.
  explicit idle_clock(std::chrono::milliseconds limit) : limit_(limit) {}

  /// It became ready, or something that it did for a caller has ended.
  void used(time_point now) { last_used_ = now; }

  bool is_limited() const { return limit_.count() > 0; }
  std::chrono::milliseconds limit() const { return limit_; }
  /// Until it is stopped, if no caller needs it before. Zero: now.
  std::chrono::milliseconds left(time_point now) const {
    auto idle = std::chrono::floor<std::chrono::milliseconds>(now - last_used_);
    return std::max(limit_ - idle, std::chrono::milliseconds{0});
  }

private:
  std::chrono::milliseconds limit_;
  time_point last_used_{};
};

} // namespace child
