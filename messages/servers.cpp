#include "messages/servers.hpp"

namespace msg {

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

} // namespace msg
