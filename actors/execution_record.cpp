// What a run tells the record: its end, every call, and what it was not permitted.
#include "actors/execution.hpp"
#include "audit/line.hpp"
#include "messages/limits.hpp"
#include "proxy/names.hpp"

#include <caf/all.hpp>

namespace actors {

namespace limits = msg::limits;
using msg::audit_kind;
using msg::errc;

namespace {

bool is_refusal(errc code) {
  switch (code) {
    case errc::not_allowed:
    case errc::rate_limited:
    case errc::overloaded:
    case errc::limit_exceeded:
    case errc::dangerous_code:
    case errc::needs_approval:
    case errc::tool_changed: return true;
    default: return false;
  }
}

} // namespace

msg::audit_event execution_state::event_of(audit_kind kind) const {
  msg::audit_event e;
  e.kind = kind;
  e.run = request_.id;
  e.client = request_.client_name;
  return e;
}

/// What is large is digested at once: a run may have many calls open, and their arguments would pile up.
std::shared_ptr<execution_state::call_arguments> execution_state::keep_arguments(const msg::document& arguments) {
  if (!options_.audit)
    return nullptr;
  auto kept = std::make_shared<call_arguments>();
  kept->value = arguments;
  if (!options_.offload || arguments.text_bytes() <= limits::json_inline_bytes_max)
    return kept;
  auto digest = std::make_shared<std::string>();
  auto work = [arguments, digest] { *digest = audit::arguments_digest(arguments); };
  options_.offload(std::move(work), [kept, digest](const msg::fault&) { // without a digest if there was no memory for it
    kept->digest = std::move(*digest);
    kept->value = {};
  });
  return kept;
}

void execution_state::record_call(const open_call& call, const msg::fault& error) {
  bool refused = is_refusal(error.code);
  if (!options_.audit || (refused && refusals_ >= limits::audit_refusals_max))
    return;
  auto e = event_of(refused ? audit_kind::refusal : audit_kind::tool_call);
  e.server = call.server;
  e.tool = call.server.empty() ? call.full_name : tool_of(call);
  if (call.arguments) {
    e.arguments = call.arguments->value;
    e.arguments_digest = call.arguments->digest;
  }
  e.duration_us = static_cast<uint64_t>(time_since(call.started).count());
  e.success = error.code == errc::none;
  e.error = audit::error_text(error);
  if (refused && ++refusals_ == limits::audit_refusals_max)
    e.error += " (further refusals of this run have no lines)";
  self_->send(options_.audit, msg::audit_atom::value, std::move(e));
}

void execution_state::record_run(const msg::run_report& report) {
  if (!options_.audit)
    return;
  bool never_began = !sandbox_ && is_refusal(report.error.code);
  auto e = event_of(never_began ? audit_kind::refusal : audit_kind::run);
  e.trace = request_.trace.trace_id;
  e.executor = audit::executor_name(request_.lang);
  e.code = std::move(request_.code);
  e.allowed_tools = audit::allowed_names(request_.allowed);
  e.tools_called.reserve(report.tools.size());
  for (auto& tool : report.tools)
    e.tools_called.push_back(tool.name);
  e.state = to_string(report.status);
  e.duration_us = report.duration_us;
  e.memory_bytes = memory_bytes_;
  e.success = report.status == msg::run_status::success;
  e.error = audit::error_text(report.error);
  self_->send(options_.audit, msg::audit_atom::value, std::move(e));
}

} // namespace actors
