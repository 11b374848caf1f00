// What a guest does, in its order, although some of it is looked at on another thread.
#pragma once

#include <deque>
#include <functional>
#include <utility>

namespace actors::run {

/// The guest's reader has credit for some frames, and no more while they wait here; its end may follow them.
class guest_order {
public:
  /// Something is looked at: what comes from now on waits for go_on().
  void pause() { is_paused_ = true; }
  bool is_paused() const { return is_paused_; }
  void add(std::function<void()> next) { waiting_.push_back(std::move(next)); }

  /// Does what waits, until one of them pauses again.
  void go_on() {
    is_paused_ = false;
    while (!is_paused_ && !waiting_.empty()) {
      auto next = std::move(waiting_.front());
      waiting_.pop_front();
      next();
    }
  }
  /// Does all of it: the run has ended.
  void finish() {
    while (!waiting_.empty())
      go_on();
  }

private:
  bool is_paused_ = false;
  std::deque<std::function<void()>> waiting_;
};

} // namespace actors::run
