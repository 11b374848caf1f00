#include "actors/child/restart_policy.hpp"

#include "actors/child/server_fault.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <utility>

namespace child {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

namespace {

constexpr std::chrono::minutes starts_window{1};

} // namespace

restart_policy::restart_policy(std::string server, restart_limits limits, uint64_t jitter_seed)
  : server_(std::move(server)),
    limits_(limits),
    random_(jitter_seed),
    breaker_(limits.breaker) {}

void restart_policy::never(std::string why) {
  never_ = std::move(why);
  last_error_ = never_;
}

fault restart_policy::later(const std::string& what, milliseconds wait) const {
  auto because = last_error_.empty() ? "" : "; it failed with: " + last_error_;
  auto why =
    server_fault(server_, errc::server_unavailable, what + " in " + std::to_string(wait.count()) + " ms" + because);
  why.retry_after_ms = static_cast<uint32_t>(wait.count());
  return why;
}

fault restart_policy::may_start(time_point now) {
  if (!never_.empty())
    return server_fault(server_, errc::server_start_failed, "can not be started: " + never_);
  if (now < login_retry_at_)
    return fault{errc::needs_login, last_error_}.at(server_);
  if (now < retry_at_)
    return later("failed a moment ago and may be tried again",
                 std::chrono::floor<milliseconds>(retry_at_ - now) + milliseconds{1});
  while (!starts_.empty() && now - starts_.front() >= starts_window)
    starts_.pop_front();
  if (starts_.size() < limits_.starts_per_minute)
    return {};
  auto times = std::to_string(starts_.size());
  return later("was started " + times
                 + " times within a minute, which is the limit (servers.startsPerMinute), and may be started again",
               std::chrono::ceil<milliseconds>(starts_.front() + starts_window - now));
}

fault restart_policy::may_be_called(time_point now) {
  auto wait = breaker_.let_through(now);
  return wait.count() == 0 ? fault{} : later("has failed too often (servers.breaker) and is tried again", wait);
}

void restart_policy::started(time_point now) {
  starts_.push_back(now);
  if (starts_.size() > limits_.starts_per_minute) // after a rest its actor does not ask whether it may start
    starts_.pop_front();
}

void restart_policy::became_ready(time_point now) {
  ready_since_ = now;
  last_error_.clear();
}

void restart_policy::start_failed(std::string why, time_point now) { leave_alone(std::move(why), now); }

void restart_policy::login_is_wanted(std::string why, time_point now) {
  last_error_ = std::move(why);
  login_retry_at_ = now + login_pause;
  if (!starts_.empty())
    starts_.pop_back();
  breaker_.withdraw();
}

void restart_policy::died(std::string why, time_point now) {
  if (now - ready_since_ >= limits::child_healthy_after)
    back_off_.succeeded();
  leave_alone(std::move(why), now);
}

void restart_policy::call_failed(std::string why, time_point now) {
  last_error_ = std::move(why);
  breaker_.failed(now);
}

void restart_policy::leave_alone(std::string why, time_point now) {
  last_error_ = std::move(why);
  breaker_.failed(now);
  auto whole = back_off_.failed();
  retry_at_ = now + milliseconds{std::uniform_int_distribution<int64_t>{whole.count() / 2, whole.count()}(random_)};
}

milliseconds restart_policy::back_off_left(time_point now) const {
  return now < retry_at_ ? std::chrono::ceil<milliseconds>(retry_at_ - now) : milliseconds{0};
}

milliseconds restart_policy::retry_after(time_point now) const {
  return std::max(breaker_.open_time_left(now), back_off_left(now));
}

} // namespace child
