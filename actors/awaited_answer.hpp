// Those who wait for one answer.
#pragma once

#include <caf/typed_response_promise.hpp>

#include <utility>
#include <vector>

namespace actors {

/// Whoever has it answers before the actor ends: CAF does not notice that a promise is dropped.
template <class T>
class awaited_answer {
public:
  /// Of the message that is being handled: its sender waits as well.
  template <class Self>
  caf::typed_response_promise<T> wait(Self self) {
    auto promise = self->template make_response_promise<T>();
    promises_.push_back(promise);
    return promise;
  }
  bool is_awaited() const { return !promises_.empty(); }
  /// To all; who comes later waits for the next one.
  void deliver(const T& answer) {
    for (auto& promise : std::exchange(promises_, {}))
      promise.deliver(answer);
  }

private:
  std::vector<caf::typed_response_promise<T>> promises_;
};

} // namespace actors
