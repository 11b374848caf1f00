#include "actors/child/call_slots.hpp"

#include <algorithm>

namespace child {

bool call_slots::is_free(size_t in_flight, size_t of_run) const {
  auto taken = in_flight + std::min(given_up_.size(), at_once_max_ / 2);
  if (taken >= at_once_max_)
    return false;
  bool is_shared = at_once_max_ >= shared_slots_min;
  return !is_shared || of_run == 0 || at_once_max_ - taken > at_once_max_ / first_calls_share;
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
