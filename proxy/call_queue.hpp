// Calls that wait for a server that has enough to do: run by run in turn, so that none starves another.
#pragma once

#include "messages/tool_call.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace proxy {

/// Item is anything with a `msg::call_key`, which the caller gives. Whoever fills it bounds it.
template <class Item>
class call_queue {
public:
  size_t size() const { return size_; }

  void push(msg::call_key key, Item item) {
    auto [run, is_new] = runs_.try_emplace(key.run);
    if (is_new)
      turns_.push_back(key.run);
    run->second.emplace_back(key, std::move(item));
    ++size_;
  }

  /// The next one of the run whose turn it is; none: the queue is empty.
  std::optional<Item> pop() {
    if (turns_.empty())
      return std::nullopt;
    auto run = turns_.front();
    turns_.pop_front();
    auto item = std::move(runs_[run].front().second);
    runs_[run].pop_front();
    --size_;
    if (runs_[run].empty())
      runs_.erase(run);
    else
      turns_.push_back(run);
    return item;
  }

  /// Takes one out.
  std::optional<Item> remove(msg::call_key key) {
    auto run = runs_.find(key.run);
    if (run == runs_.end())
      return std::nullopt;
    auto at = std::find_if(run->second.begin(), run->second.end(), [&](auto& waiting) { return waiting.first == key; });
    if (at == run->second.end())
      return std::nullopt;
    std::optional<Item> item{std::move(at->second)};
    run->second.erase(at);
    --size_;
    if (run->second.empty()) {
      runs_.erase(run);
      turns_.erase(std::find(turns_.begin(), turns_.end(), key.run));
    }
    return item;
  }

  /// All, in turn.
  std::vector<Item> take_all() {
    std::vector<Item> all;
    all.reserve(size_);
    while (auto item = pop())
      all.push_back(std::move(*item));
    return all;
  }

private:
  std::map<uint64_t, std::deque<std::pair<msg::call_key, Item>>> runs_; ///< none is empty
  std::deque<uint64_t> turns_;                                          ///< each of these runs once
  size_t size_ = 0;
};

} // namespace proxy
