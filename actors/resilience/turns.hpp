// Requests of one run that others answer one after the other: a few are open at a time, and the rest waits here in
// order. So one program does not fill a queue that all runs use.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace resilience {

class turns {
public:
  explicit turns(size_t at_once_max) : at_once_max_(at_once_max) {}

  /// `begin` is called now or later; over() says that what it has begun has ended. The caller bounds how many wait.
  void take(std::function<void()> begin) {
    waiting_.push_back(std::move(begin));
    begin_next();
  }
  void over() {
    --open_;
    begin_next();
  }
  /// The run waits no more: what was not begun is dropped.
  void stop() { waiting_.clear(); }

private:
  /// What is over as soon as it has begun comes back here: one loop begins all.
  void begin_next() {
    if (std::exchange(is_beginning_, true))
      return;
    while (open_ < at_once_max_ && !waiting_.empty()) {
      auto begin = std::move(waiting_.front());
      waiting_.pop_front();
      ++open_;
      begin();
    }
    is_beginning_ = false;
  }

  size_t at_once_max_;
  size_t open_ = 0;
  bool is_beginning_ = false;
  std::deque<std::function<void()>> waiting_;
};

} // namespace resilience
