// What the record hears of a server: the states that it comes to.
#include "actors/child_server.hpp"

#include <caf/all.hpp>

namespace actors {

/// After every change; what has not changed is not told.
void child_server_state::record_state() {
  if (!options_.audit || recorded_ == state_)
    return;
  recorded_ = state_;
  msg::audit_event e;
  e.kind = msg::audit_kind::server_state;
  e.server = entry_.name;
  e.state = to_string(state_);
  e.success = state_ != msg::server_state::backing_off;
  if (!e.success)
    e.error = last_error_;
  self_->send(options_.audit, msg::audit_atom::value, std::move(e));
}

} // namespace actors
