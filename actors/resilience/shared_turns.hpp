// Work that takes much memory, of all runs together: a few pieces are at work at a time, and the clients take turns.
#pragma once

#include "actors/resilience/fair_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace resilience {

/// For one thread. The callers bound how many wait.
class shared_turns : public std::enable_shared_from_this<shared_turns> {
public:
  /// With it goes the turn, or the wait for one.
  using turn = std::shared_ptr<void>;

  /// One party has half of the places at most, so that it does not make the others wait for its own work.
  explicit shared_turns(size_t at_once_max) : at_once_max_(at_once_max), of_one_max_((at_once_max + 1) / 2) {}

  /// `begin` is called when there is a place: before this returns, or later.
  [[nodiscard]] turn enter(uint64_t party, std::function<void()> begin) {
    auto number = ++last_;
    auto leave = [self = shared_from_this(), party, number](void*) { self->leave(party, number); };
    turn entered{this, std::move(leave)};
    waiting_.push(party, number, {party, number, std::move(begin)});
    go_on();
    return entered;
  }

private:
  struct entry {
    uint64_t party, number;
    std::function<void()> begin;
  };

  void leave(uint64_t party, uint64_t number) {
    if (waiting_.remove(party, number) || at_work_.erase(number) == 0)
      return;
    if (auto of_one = of_each_.find(party); --of_one->second == 0)
      of_each_.erase(of_one);
    go_on();
  }

  /// What ends as soon as it has begun comes back here: one loop begins all.
  void go_on() {
    if (std::exchange(is_beginning_, true))
      return;
    const std::unique_ptr<bool, void (*)(bool*)> until_here{&is_beginning_, [](bool* is) { *is = false; }};
    auto may = [this](uint64_t party) { return !of_each_.contains(party) || of_each_.at(party) < of_one_max_; };
    while (at_work_.size() < at_once_max_) {
      auto next = waiting_.pop_of(may);
      if (!next)
        break;
      at_work_.insert(next->number);
      ++of_each_[next->party];
      next->begin();
    }
  }

  size_t at_once_max_, of_one_max_;
  std::set<uint64_t> at_work_;
  std::map<uint64_t, size_t> of_each_; ///< at work; none is 0
  fair_queue<entry> waiting_;
  uint64_t last_ = 0;
  bool is_beginning_ = false;
};

} // namespace resilience
