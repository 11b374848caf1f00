// How long to wait before what has failed is tried again: twice as long each time, up to a bound.
#pragma once

#include <algorithm>
#include <chrono>

namespace resilience {

class back_off {
public:
  using milliseconds = std::chrono::milliseconds;

  back_off(milliseconds first, milliseconds most) : first_(first), most_(most) {}

  /// It has failed; how long to wait.
  milliseconds failed() { return last_ = std::clamp(last_ * 2, first_, most_); }
  /// It goes well: the next failure is the first.
  void succeeded() { last_ = milliseconds{0}; }

private:
  milliseconds first_, most_, last_{0};
};

} // namespace resilience
