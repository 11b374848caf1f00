#include "messages/servers.hpp"

namespace msg {

bool is_same_server(const server_entry& a, const server_entry& b) {
  auto told = b;
  told.disabled = a.disabled;
  told.shadows = a.shadows;
  return a == told;
}

const char* to_string(server_state state) {
  switch (state) {
    case server_state::idle: return "idle";
    case server_state::starting: return "starting";
    case server_state::ready: return "connected";
    case server_state::backing_off: return "failed";
    case server_state::stopping: return "stopping";
    case server_state::unusable: return "unusable";
  }
  return "unknown";
}

const char* to_string(breaker_state state) {
  switch (state) {
    case breaker_state::closed: return "closed";
    case breaker_state::open: return "open";
    case breaker_state::half_open: return "half-open";
  }
  return "unknown";
}

} // namespace msg
