#include "actors/child/state_record.hpp"

namespace child {

namespace {

bool is_bad(msg::server_state state) {
  return state == msg::server_state::backing_off || state == msg::server_state::needs_login;
}

} // namespace

std::vector<msg::audit_event> state_record::changes(msg::server_state state, msg::breaker_state breaker,
                                                    const std::string& last_error) {
  std::vector<msg::audit_event> out;
  if (std::exchange(state_, state) != state)
    out.push_back(event(to_string(state), is_bad(state) ? news::bad : news::good, last_error));
  bool is_open = breaker != msg::breaker_state::closed;
  if (std::exchange(is_open_, is_open) != is_open)
    out.push_back(is_open ? event("breaker open", news::bad, last_error)
                          : event("breaker closed", news::good, last_error));
  return out;
}

msg::audit_event state_record::event(std::string state, news how, const std::string& last_error) const {
  msg::audit_event e;
  e.kind = msg::audit_kind::server_state;
  e.server = server_;
  e.state = std::move(state);
  e.success = how == news::good;
  if (!e.success)
    e.error = last_error;
  return e;
}

} // namespace child
