#include "actors/child/opening_policy.hpp"

namespace child {

using mcp::opening;

opening opening_policy::next(const msg::server_entry& entry) {
  bool is_known =
    is_discovery_in_doubt_ || was_silent_ || !memory_.recall || entry.transport == msg::transport_kind::sse;
  last_ = is_known ? opening::initialize : memory_.recall(entry);
  return last_;
}

void opening_policy::opened(const msg::server_entry& entry, const mcp::client_opening& how) {
  bool was_silent = last_ == opening::discover && !how.has_learned();
  was_silent_ |= was_silent;
  bool is_process = entry.transport == msg::transport_kind::stdio;
  bool has_learned = how.has_learned() || (is_process && (was_silent || is_discovery_in_doubt_));
  if (memory_.keep && has_learned)
    memory_.keep(entry, how.understands_discovery());
  is_discovery_in_doubt_ = false;
}

bool opening_policy::failed() {
  bool is_first = last_ == opening::discover && !is_discovery_in_doubt_;
  is_discovery_in_doubt_ |= is_first;
  return is_first;
}

} // namespace child
