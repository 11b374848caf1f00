// What waits, party by party in turn, so that none starves another: calls of runs, runs of clients.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace resilience {

/// Items have numbers that are unique in their party. The actor or class that fills it bounds it.
template <class Item>
class fair_queue {
public:
  size_t size() const { return size_; }
  size_t size_of(uint64_t party) const {
    auto found = parties_.find(party);
    return found == parties_.end() ? 0 : found->second.size();
  }

  /// The next one of a party that has some.
  const Item& front_of(uint64_t party) const { return parties_.at(party).front().second; }

  void push(uint64_t party, uint64_t number, Item item) {
    auto [at, is_new] = parties_.try_emplace(party);
    if (is_new)
      turns_.push_back(party);
    at->second.emplace_back(number, std::move(item));
    ++size_;
  }

  /// The next one of the party whose turn it is; none: the queue is empty.
  std::optional<Item> pop() {
    return pop_of([](uint64_t) { return true; });
  }
  /// Of those that may have a turn now.
  template <class May>
  std::optional<Item> pop_of(const May& may) {
    auto turn = std::find_if(turns_.begin(), turns_.end(), may);
    if (turn == turns_.end())
      return std::nullopt;
    auto party = *turn;
    turns_.erase(turn);
    turns_.push_back(party);
    return take(party, parties_.at(party).begin());
  }

  std::optional<Item> remove(uint64_t party, uint64_t number) {
    auto found = parties_.find(party);
    if (found == parties_.end())
      return std::nullopt;
    auto at =
      std::find_if(found->second.begin(), found->second.end(), [&](auto& waiting) { return waiting.first == number; });
    return at == found->second.end() ? std::nullopt : take(party, at);
  }

  /// Of whichever party.
  std::optional<Item> remove(uint64_t number) {
    for (auto party : turns_)
      if (auto item = remove(party, number))
        return item;
    return std::nullopt;
  }

  /// The youngest item of the party that has the most.
  std::optional<Item> remove_from_largest() {
    if (turns_.empty())
      return std::nullopt;
    auto largest = std::max_element(parties_.begin(), parties_.end(),
                                    [](auto& a, auto& b) { return a.second.size() < b.second.size(); });
    return take(largest->first, std::prev(largest->second.end()));
  }
  size_t largest_size() const {
    size_t most = 0;
    for (auto& [party, items] : parties_)
      most = std::max(most, items.size());
    return most;
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
  using line = std::deque<std::pair<uint64_t, Item>>;

  std::optional<Item> take(uint64_t party, typename line::iterator at) {
    auto& items = parties_.at(party);
    std::optional<Item> item{std::move(at->second)};
    items.erase(at);
    --size_;
    if (items.empty()) {
      parties_.erase(party);
      turns_.erase(std::find(turns_.begin(), turns_.end(), party));
    }
    return item;
  }

  std::map<uint64_t, line> parties_; ///< none is empty
  std::deque<uint64_t> turns_;       ///< each of these parties once
  size_t size_ = 0;
};

} // namespace resilience
