// The tool calls of a run, from the guest's frame to its answer.
#include "actors/execution.hpp"
#include "catalog/pinning/approvals.hpp"
#include "mcp/trace.hpp"
#include "messages/limits.hpp"
#include "proxy/names.hpp"
#include "proxy/unwrap.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

/// Results of one tool that one run lets the catalog learn from.
constexpr uint32_t learned_results_max = 20;
/// And memory of all of them: they wait for the catalog longer than for the program.
constexpr uint64_t learned_bytes_max = 32u << 20;

/// Tools that are named of the calls that a program has given up, and bytes of each name.
constexpr size_t given_up_names_max = 5;
constexpr size_t given_up_name_max = 100;

std::string name_of(const msg::tool_ref& ref) {
  if (ref.method != msg::child_method::call_tool)
    return proxy::full_name(ref.server, to_string(ref.method));
  return ref.full_name.empty() ? proxy::full_name(ref.server, ref.tool) : ref.full_name;
}

} // namespace

void execution_state::handle(proxy::guest_call& call) { begin_call(std::move(call)); }

void execution_state::begin_call(proxy::guest_call call) {
  auto id = call.id;
  open_call opened{name_of(call.tool), "", self_->clock().now(), call.tool.method, 0, keep_arguments(call.arguments), call.arguments.held_bytes()};
  if (!admit(id)) {
    record_call(opened, fault{errc::overloaded, "too many requests of the run were open"});
    return tracker_.failed(opened.full_name, {}, "too many requests of the run were open");
  }
  hold(opened.held_bytes);
  open_.emplace(id, std::move(opened));
  if (++calls_ > options_.tool_calls_max)
    return settle(call.id, fault{errc::limit_exceeded, "this run has made " + std::to_string(options_.tool_calls_max)
                                                         + " tool calls, which is the limit (runs.maxToolCalls)"});
  call.tool.run = request_.id;
  resolves_.take([this, call = std::move(call)]() mutable { resolve(std::move(call)); });
}

/// Of names that there are not, each question costs the catalog a look at all that there are.
void execution_state::resolve(proxy::guest_call call) {
  self_->request(options_.connector, time_left(), msg::resolve_atom::value, std::move(call.tool), request_.allowed)
    .then(
      [this, id = call.id, arguments = std::move(call.arguments)](msg::outcome<msg::tool_info>& tool) mutable {
        resolves_.over();
        if (!tool.ok())
          return settle(id, std::move(tool.error));
        dispatch(id, std::move(arguments), tool.value);
      },
      [this, id = call.id](caf::error&) {
        resolves_.over();
        settle(id, fault{errc::internal, "the connector did not answer"});
      });
}

void execution_state::dispatch(uint64_t id, msg::document arguments, const msg::tool_info& tool) {
  auto found = open_.find(id);
  if (found == open_.end() || ended_)
    return;
  found->second.full_name = proxy::full_name(tool.server, tool.name);
  found->second.server = tool.server;
  if (!tool.changed.empty())
    notes_.add("Warning: tool " + found->second.full_name + ": " + tool.changed + " (`" + tool_pinning::command_to_approve(tool.server)
               + "` approves it).");
  found->second.call_fingerprint = proxy::failing_calls::key_of(found->second.full_name, arguments);
  if (auto* last = failing_.refused(found->second.call_fingerprint, options_.same_failures_max))
    return settle(id, fault{errc::limit_exceeded,
                            "this call has failed " + std::to_string(options_.same_failures_max)
                              + " times in this run with the same arguments, which is the limit (runs.maxSameFailures); it failed with: " + *last});
  report_progress(found->second.full_name);
  msg::tool_call call{{request_.id, id},
                      tool.server,
                      tool.name,
                      std::move(arguments),
                      request_.wants_progress,
                      found->second.method,
                      mcp::headers_of(request_.trace, id),
                      time_.patience_left_ms(self_->clock().now())};
  self_->request(options_.connector, time_left(), msg::call_atom::value, std::move(call))
    .then([this, id](msg::outcome<msg::tool_result>& result) { returned(id, result); },
          [this, id, server = tool.server](caf::error&) {
            settle(id, fault{errc::server_died, "server '" + server + "' did not answer"}.at(server));
          });
}

/// The child's answer, still in its envelope.
void execution_state::returned(uint64_t id, msg::outcome<msg::tool_result>& result) {
  if (!result.ok())
    return settle(id, std::move(result.error));
  if (!result.value.warning.empty())
    notes_.add("Warning: " + result.value.warning + ".");
  auto call = open_.find(id);
  if (call == open_.end())
    return;
  auto method = call->second.method;
  if (result.value.envelope.text_bytes() <= limits::json_inline_bytes_max)
    return settle(id, proxy::unwrap_answer(method, result.value.envelope));
  call->second.held_bytes += result.value.envelope.held_bytes();
  hold(result.value.envelope.held_bytes());
  elsewhere([method, envelope = std::move(result.value.envelope)] { return proxy::unwrap_answer(method, envelope); },
            [this, id](msg::outcome<msg::document> unwrapped) { settle(id, std::move(unwrapped)); });
}

/// Of a call that is resolved.
std::string execution_state::tool_of(const open_call& call) { return call.full_name.substr(proxy::full_name(call.server, "").size()); }

void execution_state::settle(uint64_t id, msg::outcome<msg::document> answer) {
  if (ended_)
    return end_call(id, answer.ok() ? fault{errc::cancelled, msg::run_ended_unanswered} : std::move(answer.error));
  auto call = open_.extract(id);
  if (!call)
    return;
  ++calls_ended_;
  let_go(call.mapped().held_bytes);
  auto& name = call.mapped().full_name;
  auto took = time_since(call.mapped().started);
  if (answer.ok()) {
    tracker_.succeeded(name, took);
    failing_.succeeded(call.mapped().call_fingerprint);
    learn(call.mapped(), answer.value);
  } else {
    tracker_.failed(name, took, answer.error.message);
    if (answer.error.code != errc::limit_exceeded) // else it would quote itself
      failing_.failed(call.mapped().call_fingerprint, answer.error.message);
    if (answer.error.tool.empty() && !call.mapped().server.empty())
      answer.error.tool = tool_of(call.mapped());
    if (answer.error.server.empty())
      answer.error.server = call.mapped().server;
  }
  record_call(call.mapped(), answer.error);
  report_progress(name);
  this->answer(id, std::move(answer));
}

/// A program that ends its own process and means it well: nobody would hear of the calls that it has not waited for.
void execution_state::note_given_up() {
  if (ending_.status != msg::run_status::success || open_.empty())
    return;
  std::vector<std::string> names;
  for (auto& [id, call] : open_)
    if (auto name = text::quoted(call.full_name, given_up_name_max); std::find(names.begin(), names.end(), name) == names.end())
      if (names.push_back(std::move(name)); names.size() > given_up_names_max)
        break;
  auto one = open_.size() == 1;
  auto text = std::to_string(open_.size()) + (one ? " call was" : " calls were") + " still open when the program ended and " + (one ? "was" : "were")
              + " given up: ";
  for (size_t i = 0; i < names.size(); ++i)
    text += (i > 0 ? ", " : "") + (i < given_up_names_max ? names[i] : "...");
  notes_.add(std::move(text));
}

/// The first results of a run say nearly all that the others would.
void execution_state::learn(const open_call& call, const msg::document& result) {
  if (call.method != msg::child_method::call_tool || learned_bytes_ + result.held_bytes() > learned_bytes_max
      || ++learned_[call.full_name] > learned_results_max)
    return;
  learned_bytes_ += result.held_bytes();
  self_->send(options_.connector, msg::observe_atom::value, msg::tool_ref{"", call.server, tool_of(call), call.method, request_.id}, result);
}

void execution_state::progressed(const msg::tool_progress& p) {
  auto call = open_.find(p.key.call);
  if (call == open_.end())
    return;
  report_progress(call->second.full_name + ": " + text::number_text(p.progress) + (p.total > 0 ? "/" + text::number_text(p.total) : "")
                  + (p.message.empty() ? "" : " " + p.message));
}

/// At most one message in each interval; what falls between is in the next one's numbers.
void execution_state::report_progress(std::string message) {
  auto now = self_->clock().now();
  if (!request_.wants_progress || !listener_ || now - last_progress_ < limits::progress_interval)
    return;
  last_progress_ = now;
  self_->send(listener_, msg::progress_atom::value, msg::run_progress{request_.id, calls_, calls_ended_, std::move(message)});
}

} // namespace actors
