#include "actors/resilience/token_buckets.hpp"

#include <algorithm>
#include <cmath>

namespace resilience {

using std::chrono::milliseconds;

namespace {

/// Of a whole token, what rounding may have lost.
constexpr double rounding = 1e-6;

double tokens_per_ms(const msg::rate_limit& limit) {
  return static_cast<double>(limit.requests) / std::max(limit.window_ms, 1u);
}

} // namespace

token_buckets::bucket& token_buckets::filled(const std::string& name, const msg::rate_limit& limit, time_point now) {
  auto found = buckets_.find(name);
  if (found == buckets_.end()) {
    if (buckets_.size() >= buckets_max_)
      make_room(now);
    found = buckets_.emplace(name, bucket{static_cast<double>(limit.requests), now, limit}).first;
  }
  auto& b = found->second;
  b.limit = limit;
  auto passed = std::chrono::duration<double, std::milli>(now - b.filled_at).count();
  b.tokens = std::min(static_cast<double>(limit.requests), b.tokens + passed * tokens_per_ms(limit));
  b.filled_at = now;
  return b;
}

/// Full buckets say nothing; if there are none, the ones that say least go.
void token_buckets::make_room(time_point now) {
  auto is_full = [&](auto& entry) {
    auto& b = entry.second;
    auto passed = std::chrono::duration<double, std::milli>(now - b.filled_at).count();
    return b.tokens + passed * tokens_per_ms(b.limit) >= b.limit.requests;
  };
  std::erase_if(buckets_, is_full);
  if (buckets_.size() >= buckets_max_)
    buckets_.erase(std::max_element(buckets_.begin(), buckets_.end(),
                                    [](auto& a, auto& b) { return a.second.tokens < b.second.tokens; }));
}

milliseconds token_buckets::wait_for(const std::string& name, const msg::rate_limit& limit, time_point now) {
  if (limit.requests == 0)
    return milliseconds{0};
  auto& b = filled(name, limit, now);
  if (b.tokens >= 1 - rounding)
    return milliseconds{0};
  return milliseconds{static_cast<int64_t>(std::ceil((1 - b.tokens) / tokens_per_ms(limit)))};
}

void token_buckets::take(const std::string& name, const msg::rate_limit& limit, time_point now) {
  if (limit.requests > 0)
    filled(name, limit, now).tokens -= 1; // rounding may leave a little less than nothing
}

} // namespace resilience
