// How often a server is started, when it is not called, how long a call takes, and when it is stopped because nobody needs it.
#include "actors/child_server.hpp"
#include "messages/limits.hpp"
#include "proxy/time_out.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;
using msg::fault;
using msg::server_state;
using std::chrono::milliseconds;

namespace {

constexpr std::chrono::minutes starts_window{1};

fault later(fault why, milliseconds wait) {
  why.retry_after_ms = static_cast<uint32_t>(wait.count());
  return why;
}

std::string in(milliseconds wait) { return "in " + std::to_string(wait.count()) + " ms"; }

} // namespace

/// Whether a process may be started now.
fault child_server_state::may_start() {
  if (state_ == server_state::unusable)
    return fault_of(errc::server_start_failed, "can not be started: " + entry_.unusable);
  auto now = self_->clock().now();
  auto because = last_error_.empty() ? "" : "; it failed with: " + last_error_;
  if (state_ == server_state::backing_off && now < retry_at_) {
    auto wait = std::chrono::floor<milliseconds>(retry_at_ - now) + milliseconds{1};
    return later(fault_of(errc::server_unavailable, "failed a moment ago and may be tried again " + in(wait) + because), wait);
  }
  while (!started_at_.empty() && now - started_at_.front() >= starts_window)
    started_at_.pop_front();
  if (started_at_.size() < options_.limits.starts_per_minute)
    return {};
  auto wait = std::chrono::ceil<milliseconds>(started_at_.front() + starts_window - now);
  auto what = "was started " + std::to_string(started_at_.size())
              + " times within a minute, which is the limit (servers.startsPerMinute), and may be started again ";
  return later(fault_of(errc::server_unavailable, what + in(wait) + because), wait);
}

/// Whether the call's time is enough for the back-off of a server that failed: then the first such call has it started again.
bool child_server_state::waits_for_restart(const msg::tool_call& call) {
  auto now = self_->clock().now();
  if (state_ != server_state::backing_off || now >= retry_at_ || retry_at_ - now >= milliseconds{call.patience_ms})
    return false;
  if (waiting_.empty())
    set_timer(restart_timer, std::chrono::ceil<milliseconds>(retry_at_ - now));
  return true;
}

void child_server_state::start_again() {
  if (state_ != server_state::backing_off || waiting_.empty())
    return;
  if (auto why = may_start(); why.code != errc::none)
    return fail_waiting(why);
  connect();
}

/// Whether its breaker lets a request through.
fault child_server_state::may_be_called() {
  auto wait = breaker_->let_through(self_->clock().now());
  if (wait.count() == 0)
    return {};
  auto because = last_error_.empty() ? "" : "; it failed with: " + last_error_;
  return later(fault_of(errc::server_unavailable, "has failed too often (servers.breaker) and is tried again " + in(wait) + because), wait);
}

// ---- idle servers ----------------------------------------------------------------------------

bool child_server_state::is_busy() const {
  return !in_flight_.empty() || !checking_.empty() || !waiting_.empty() || queued_.size() > 0 || !want_tools_.empty();
}

void child_server_state::used() { last_used_ = self_->clock().now(); }

/// One timer per connection: after the rest of the time it looks again.
void child_server_state::rest_if_idle() {
  if (state_ != server_state::ready)
    return;
  auto idle = std::chrono::duration_cast<milliseconds>(self_->clock().now() - last_used_);
  if (is_busy())
    set_timer(idle_timer, options_.limits.idle);
  else if (idle < options_.limits.idle)
    set_timer(idle_timer, options_.limits.idle - idle);
  else
    begin_rest();
}

void child_server_state::begin_rest() {
  resting_ = true;
  state_ = server_state::stopping;
  record_state();
  connection_->stop();
}

caf::result<bool> child_server_state::stop_if_idle() {
  if (state_ == server_state::starting || is_busy())
    return false;
  if (state_ == server_state::ready)
    begin_rest();
  if (open_processes_ == 0)
    return true;
  auto promise = self_->make_response_promise<bool>();
  want_stop_.push_back(promise);
  return promise;
}

// ---- the time of one call --------------------------------------------------------------------

/// One timer for all of them.
void child_server_state::watch_time_of(open_call& call) {
  if (entry_.call_timeout_ms == 0)
    return;
  milliseconds most{entry_.call_timeout_ms};
  call.deadline = self_->clock().now() + most;
  if (!std::exchange(call_timer_set_, true))
    set_timer(call_timer, most);
}

void child_server_state::end_late_calls() {
  auto now = self_->clock().now();
  std::vector<msg::call_key> late;
  for (auto& [key, call] : in_flight_)
    if (call.deadline <= now)
      late.push_back(key);
  for (auto& key : late)
    end_late_call(key);
  call_timer_set_ = true; // what is sent now is not to set a timer of its own
  if (!late.empty())
    send_waiting();
  auto sooner = [](auto& a, auto& b) { return a.second.deadline < b.second.deadline; };
  auto next = std::min_element(in_flight_.begin(), in_flight_.end(), sooner);
  call_timer_set_ = next != in_flight_.end();
  if (call_timer_set_)
    set_timer(call_timer, std::chrono::ceil<milliseconds>(next->second.deadline - now));
}

void child_server_state::end_late_call(msg::call_key key) {
  auto what = "did not answer within " + std::to_string(entry_.call_timeout_ms) + " ms (timeoutMs of its entry in " + entry_.source + ")";
  auto why = fault_of(errc::call_timeout, what + proxy::unread_text(unread_ms()) + (stray_.empty() ? "" : "; it printed: " + stray_));
  last_error_ = why.message;
  breaker_->failed(self_->clock().now());
  record_state();
  give_up(key, "it took too long", why, why);
}

} // namespace actors
