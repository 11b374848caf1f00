// How a server is: for those who ask, and for the record, which hears of the states that it comes to, and whether its breaker lets calls through.
#include "actors/child_server.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::server_state;

/// After every change; what has not changed is not told.
void child_server_state::record_state() {
  if (!options_.audit)
    return;
  auto tell = [this](std::string state, bool is_good) {
    msg::audit_event e;
    e.kind = msg::audit_kind::server_state;
    e.server = entry_.name;
    e.state = std::move(state);
    e.success = is_good;
    if (!is_good)
      e.error = last_error_;
    self_->send(options_.audit, msg::audit_atom::value, std::move(e));
  };
  if (std::exchange(recorded_, state_) != state_)
    tell(to_string(state_), state_ != msg::server_state::backing_off);
  bool is_open = breaker_->state(self_->clock().now()) != msg::breaker_state::closed;
  if (std::exchange(recorded_open_, is_open) != is_open)
    tell(is_open ? "breaker open" : "breaker closed", !is_open);
}

msg::server_status child_server_state::status() const {
  msg::server_status s;
  s.name = entry_.name;
  s.state = state_;
  s.tool_count = static_cast<uint32_t>(tools_.size());
  for (auto& t : tools_)
    s.tools.push_back(t.name);
  s.calls_in_flight = static_cast<uint32_t>(in_flight_.size() + checking_.size() + waiting_.size() + queued_.size());
  s.starts = starts_;
  s.last_error = last_error_;
  auto now = self_->clock().now();
  s.breaker = breaker_->state(now);
  auto wait = breaker_->open_time_left(now);
  if (state_ == server_state::backing_off && now < retry_at_)
    wait = std::max(wait, std::chrono::ceil<std::chrono::milliseconds>(retry_at_ - now));
  s.retry_after_ms = static_cast<uint32_t>(wait.count());
  return s;
}

uint32_t child_server_state::starting_ms() const {
  if (state_ != server_state::starting)
    return 0;
  auto since = std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - starting_since_);
  return static_cast<uint32_t>(std::max<int64_t>(1, since.count()));
}

} // namespace actors
