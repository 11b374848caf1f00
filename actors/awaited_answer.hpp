// Those who wait for one answer.
#pragma once

#include "actors/reply_promise.hpp"

#include <utility>
#include <vector>

namespace actors {

/// Only for the thread of its actor.
template <class T>
class awaited_answer {
public:
  /// Of the message that is being handled: its sender waits as well.
  template <class Self>
  reply_promise<T> wait(Self self) {
    return promises_.emplace_back(self);
  }
  bool is_awaited() const { return !promises_.empty(); }
  /// To all; who comes later waits for the next one.
  void deliver(const T& answer) {
    for (auto& promise : std::exchange(promises_, {}))
      promise.deliver(answer);
  }

private:
  std::vector<reply_promise<T>> promises_;
};

} // namespace actors
