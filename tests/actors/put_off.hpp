// Other threads, in tests that have one.
#pragma once

#include "messages/errors.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace testing_support {

/// The work that an actor gives away, done when the test says so.
struct put_off {
  struct one {
    std::function<void()> work;
    std::function<void(msg::fault)> done;
  };
  std::shared_ptr<std::vector<one>> all = std::make_shared<std::vector<one>>();

  void operator()(std::function<void()> work, std::function<void(msg::fault)> done) const {
    all->push_back({std::move(work), std::move(done)});
  }
  /// Those that wait now.
  size_t carry_out() const {
    auto now = std::exchange(*all, {});
    for (auto& each : now) {
      each.work();
      each.done({});
    }
    return now.size();
  }
};

} // namespace testing_support
