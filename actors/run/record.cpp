#include "actors/run/record.hpp"

#include "audit/line.hpp"
#include "messages/limits.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace actors::run {

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
    case errc::not_approved:
    case errc::needs_login:
    case errc::tool_changed: return true;
    default: return false;
  }
}

msg::audit_event event_of(const msg::run_request& request, audit_kind kind) {
  msg::audit_event e;
  e.kind = kind;
  e.run = request.id;
  e.client = request.client_name;
  return e;
}

msg::audit_event event_of(const msg::run_request& request, audit_kind kind, const open_call& call) {
  auto e = event_of(request, kind);
  e.server = call.server;
  e.tool = call.server.empty() ? call.full_name : call.tool();
  if (call.arguments) {
    e.arguments = call.arguments->value;
    e.arguments_digest = call.arguments->digest;
  }
  return e;
}

/// Without its code.
msg::audit_event event_of_program(const msg::run_request& request, audit_kind kind) {
  auto e = event_of(request, kind);
  e.trace = request.trace.trace_id;
  e.executor = audit::executor_name(request.lang);
  e.allowed_tools = audit::allowed_names(request.allowed);
  return e;
}

} // namespace

std::shared_ptr<kept_arguments> keep_arguments(const msg::document& arguments, const worker& elsewhere) {
  auto kept = std::make_shared<kept_arguments>();
  kept->value = arguments;
  if (!elsewhere || arguments.text_bytes() <= limits::json_inline_bytes_max)
    return kept;
  auto digest = std::make_shared<std::string>();
  auto work = [arguments, digest] { *digest = audit::arguments_digest(arguments); };
  elsewhere(std::move(work), [kept, digest](const msg::fault&) { // without a digest if there was no memory for it
    kept->digest = std::move(*digest);
    kept->value = {};
  });
  return kept;
}

std::optional<msg::audit_event> record::of_begin(const msg::run_request& request) {
  if (std::exchange(has_begun_, true))
    return {};
  auto e = event_of_program(request, audit_kind::run_begun);
  e.code = request.code;
  return e;
}

msg::audit_event record::of_open(const msg::run_request& request, const open_call& call) {
  return event_of(request, audit_kind::call_open, call);
}

std::optional<msg::audit_event> record::of_call(const msg::run_request& request, const open_call& call,
                                                const msg::fault& error, std::chrono::microseconds took) {
  bool refused = is_refusal(error.code);
  if (refused && refusals_ >= limits::audit_refusals_max)
    return {};
  auto e = event_of(request, refused ? audit_kind::refusal : audit_kind::tool_call, call);
  e.duration_us = static_cast<uint64_t>(took.count());
  e.success = error.code == errc::none;
  e.error = audit::error_text(error);
  if (refused && ++refusals_ == limits::audit_refusals_max)
    e.error += " (further refusals of this run have no lines)";
  return e;
}

/// Whether a person has agreed is told, and not what they have said.
msg::audit_event record::of_question(const msg::run_request& request, const msg::server_question& asked,
                                     const msg::outcome<msg::document>& said) {
  auto e = event_of(request, audit_kind::question);
  e.server = asked.server;
  e.tool = asked.tool;
  e.state = asked.asker == msg::question_asker::program  ? "askUser"
            : asked.asker == msg::question_asker::policy ? "security.confirm"
                                                         : to_string(asked.kind);
  auto* answer = said.value.value().if_object();
  auto* action = said.ok() && answer ? answer->if_contains("action") : nullptr;
  if (action && action->is_string())
    e.state += ": " + std::string{action->get_string()};
  e.success = said.ok();
  e.error = audit::error_text(said.error);
  return e;
}

msg::audit_event record::of_run(msg::run_request& request, const msg::run_report& report, const guest_facts& guest) {
  bool is_refused = !guest.was_had && is_refusal(report.error.code);
  auto e = event_of_program(request, is_refused ? audit_kind::refusal : audit_kind::run);
  e.code = std::move(request.code);
  e.tools_called.reserve(report.tools.size());
  for (auto& tool : report.tools)
    e.tools_called.push_back(tool.name);
  for (auto& fault : report.faults)
    e.faults.push_back(fault.kind + " " + fault.tool + " " + std::to_string(fault.number));
  e.state = to_string(report.status);
  e.duration_us = report.duration_us;
  e.memory_bytes = guest.memory_bytes;
  e.success = report.status == msg::run_status::success;
  e.error = audit::error_text(report.error);
  return e;
}

} // namespace actors::run
