#include "actors/resilience/circuit_breaker.hpp"

#include <utility>

namespace resilience {

using std::chrono::milliseconds;

msg::breaker_state circuit_breaker::state(time_point now) const {
  if (!tripped_)
    return msg::breaker_state::closed;
  return now < open_until_ ? msg::breaker_state::open : msg::breaker_state::half_open;
}

milliseconds circuit_breaker::open_time_left(time_point now) const {
  return tripped_ && now < open_until_ ? std::chrono::ceil<milliseconds>(open_until_ - now) : milliseconds{0};
}

milliseconds circuit_breaker::let_through(time_point now) {
  if (!tripped_)
    return milliseconds{0};
  if (now < open_until_)
    return open_time_left(now);
  if (trial_at_ && now < *trial_at_ + options_.open_for)
    return std::chrono::ceil<milliseconds>(*trial_at_ + options_.open_for - now);
  trial_at_ = now;
  return milliseconds{0};
}

void circuit_breaker::succeeded() {
  if (std::exchange(tripped_, false))
    failures_.clear();
  trial_at_.reset();
}

void circuit_breaker::failed(time_point now) {
  failures_.push_back(now);
  while (failures_.size() > options_.failures_max || now - failures_.front() > options_.window)
    failures_.pop_front();
  bool was_trial = tripped_ && now >= open_until_;
  if (was_trial || (!tripped_ && failures_.size() >= options_.failures_max)) {
    tripped_ = true;
    open_until_ = now + options_.open_for;
  }
  trial_at_.reset();
}

} // namespace resilience
