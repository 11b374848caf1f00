#include "actors/child/call_places.hpp"

#include <algorithm>

namespace child {

bool call_places::is_free(size_t in_flight) const {
  return in_flight + std::min(given_up_.size(), at_once_max_ / 2) < at_once_max_;
}

void call_places::keep(msg::call_key key, time_point now) { given_up_.insert_or_assign(key, now + given_up_place_max); }

void call_places::give_back_old(time_point now) {
  std::erase_if(given_up_, [now](auto& call) { return call.second <= now; });
}

std::optional<call_places::time_point> call_places::next_end() const {
  auto sooner = [](auto& a, auto& b) { return a.second < b.second; };
  auto next = std::min_element(given_up_.begin(), given_up_.end(), sooner);
  return next == given_up_.end() ? std::nullopt : std::optional{next->second};
}

} // namespace child
