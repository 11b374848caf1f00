// What a run used of models, for its report and for the record.
#include "actors/sampling_session.hpp"
#include "sampling/token_estimate.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>

namespace actors {

using answer_outcome = msg::outcome<msg::model_answer>;

/// What was sent and what came was used, whatever became of it: left, late, broken or filtered. The provider says how much, or it is
/// estimated.
msg::token_usage sampling_session_state::used_by(const question& q, const answer_outcome& answer) {
  auto& told = answer.value.usage;
  bool is_known = !told.is_estimated && told.input + uint64_t{told.output} > 0;
  if (answer.ok() || is_known)
    return told;
  if (!answer.value.was_asked)
    return {};
  auto& came = answer.value.text.size() > q.received.size() ? answer.value.text : q.received;
  return {std::max(told.input, sampling::estimated_input(q.request)), std::max(told.output, sampling::estimated_tokens(came)), true};
}

/// One round has ended.
void sampling_session_state::account(const question& q, const answer_outcome& answer) {
  msg::sampling_call call;
  call.route = q.route->name;
  call.model = answer.ok() ? answer.value.model : q.request.model;
  call.error = answer.error.code;
  call.stop = answer.value.stop;
  call.tool_calls = static_cast<uint32_t>(answer.value.uses.size());
  call.duration_us = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(self_->clock().now() - q.begun).count());
  call.usage = used_by(q, answer);
  budget_->settle(q.reserved, call.usage);
  used_.is_estimated = used_.is_estimated || call.usage.is_estimated;
  used_.duration_us += call.duration_us;
  if (options_.audit)
    record(q, call, answer);
  if (run_.sampling.verbose) {
    call.prompt = q.request.messages.back().text;
    call.answer = answer.ok() ? answer.value.text : q.streamed;
  }
  used_.calls.push_back(std::move(call));
}

void sampling_session_state::record(const question& q, const msg::sampling_call& call, const answer_outcome& answer) const {
  msg::audit_event e;
  e.kind = msg::audit_kind::sampling_call;
  e.run = run_.id;
  e.client = run_.client_name;
  e.route = q.route->name;
  e.model = call.model;
  e.prompt = q.request.messages.back().text;
  e.answer = answer.ok() ? answer.value.text : q.streamed;
  e.tokens = uint64_t{call.usage.input} + call.usage.output;
  e.duration_us = call.duration_us;
  e.success = answer.ok();
  if (!answer.ok())
    e.error = to_string(answer.error.code); // its text may quote a prompt, or the provider
  self_->send(options_.audit, msg::audit_atom::value, std::move(e));
}

/// What the rules did not permit: nobody was asked.
void sampling_session_state::record_refusal(const std::string& model, const msg::fault& why) {
  bool is_refusal = why.code == msg::errc::not_allowed || why.code == msg::errc::limit_exceeded;
  if (!options_.audit || !is_refusal || refusals_ >= msg::limits::audit_refusals_max)
    return;
  msg::audit_event e;
  e.kind = msg::audit_kind::refusal;
  e.run = run_.id;
  e.client = run_.client_name;
  e.route = route_->name;
  e.model = model;
  e.success = false;
  e.error = to_string(why.code); // as above
  if (++refusals_ == msg::limits::audit_refusals_max)
    e.error += " (further refusals of questions to models of this run have no lines)";
  self_->send(options_.audit, msg::audit_atom::value, std::move(e));
}

msg::sampling_report sampling_session_state::report() const {
  auto out = used_;
  out.enabled = true;
  out.route = route_->name;
  out.rounds = budget_->rounds();
  out.tokens = budget_->tokens();
  out.rounds_left = budget_->rounds_left();
  out.tokens_left = budget_->tokens_left();
  return out;
}

} // namespace actors
