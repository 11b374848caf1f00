#include "messages/errors.hpp"

namespace msg {

std::string_view to_string(errc code) {
  switch (code) {
    case errc::none: return "none";
    case errc::invalid_argument: return "invalid_argument";
    case errc::unknown_server: return "unknown_server";
    case errc::unknown_tool: return "unknown_tool";
    case errc::not_allowed: return "not_allowed";
    case errc::tool_failed: return "tool_failed";
    case errc::server_start_failed: return "server_start_failed";
    case errc::server_died: return "server_died";
    case errc::server_unavailable: return "server_unavailable";
    case errc::protocol_violation: return "protocol_violation";
    case errc::call_timeout: return "call_timeout";
    case errc::run_timeout: return "run_timeout";
    case errc::cancelled: return "cancelled";
    case errc::rate_limited: return "rate_limited";
    case errc::needs_approval: return "needs_approval";
    case errc::not_approved: return "not_approved";
    case errc::needs_login: return "needs_login";
    case errc::tool_changed: return "tool_changed";
    case errc::dangerous_code: return "dangerous_code";
    case errc::model_failed: return "model_failed";
    case errc::overloaded: return "overloaded";
    case errc::limit_exceeded: return "limit_exceeded";
    case errc::unknown_handle: return "unknown_handle";
    case errc::runtime_missing: return "runtime_missing";
    case errc::guest_died: return "guest_died";
    case errc::guest_protocol: return "guest_protocol";
    case errc::shutting_down: return "shutting_down";
    case errc::internal: return "internal";
  }
  return "internal";
}

} // namespace msg
