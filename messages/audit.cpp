#include "messages/audit.hpp"

namespace msg {

const char* to_string(audit_kind kind) {
  switch (kind) {
    case audit_kind::run_begun: return "run_begun";
    case audit_kind::run: return "run";
    case audit_kind::call_open: return "call_open";
    case audit_kind::tool_call: return "tool_call";
    case audit_kind::refusal: return "refusal";
    case audit_kind::sampling_call: return "sampling_call";
    case audit_kind::question: return "question";
    case audit_kind::connection: return "connection";
    case audit_kind::server_state: return "server_state";
    case audit_kind::configuration: return "configuration";
    case audit_kind::lost: return "lost";
  }
  return "unknown";
}

} // namespace msg
