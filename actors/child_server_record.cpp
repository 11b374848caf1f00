// What the record hears of a server: the states that it comes to, and whether its breaker lets calls through.
#include "actors/child_server.hpp"

#include <caf/all.hpp>

namespace actors {

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

} // namespace actors
