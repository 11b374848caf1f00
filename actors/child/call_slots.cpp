#include "actors/child/call_slots.hpp"

#include <algorithm>

namespace child {

namespace {

void count_down(std::map<uint64_t, size_t>& counts, uint64_t of) {
  if (auto found = counts.find(of); --found->second == 0)
    counts.erase(found);
}

} // namespace

bool call_slots::is_free(uint64_t run, uint64_t client) const {
  auto taken = taken_ + std::min(given_up_.size(), at_once_max_ / 2);
  if (taken >= at_once_max_)
    return false;
  if (at_once_max_ < shared_slots_min)
    return true;
  auto left = at_once_max_ - taken;
  return (!runs_.contains(run) || left > at_once_max_ / runs_share)
         && (!clients_.contains(client) || left > at_once_max_ / clients_share);
}

void call_slots::take(uint64_t run, uint64_t client) {
  ++taken_;
  ++runs_[run];
  ++clients_[client];
}

void call_slots::free(uint64_t run, uint64_t client) {
  --taken_;
  count_down(runs_, run);
  count_down(clients_, client);
}

void call_slots::keep(msg::call_key key, time_point now) { given_up_.insert_or_assign(key, now + given_up_slot_max); }

void call_slots::give_back_old(time_point now) {
  std::erase_if(given_up_, [now](auto& call) { return call.second <= now; });
}

std::optional<call_slots::time_point> call_slots::next_end() const {
  auto sooner = [](auto& a, auto& b) { return a.second < b.second; };
  auto next = std::min_element(given_up_.begin(), given_up_.end(), sooner);
  return next == given_up_.end() ? std::nullopt : std::optional{next->second};
}

} // namespace child
