#include "actors/sampling/ledger.hpp"

#include "sampling/token_estimate.hpp"

#include <utility>

namespace sampling {

budget::claim ledger::take(completion_request& q) {
  auto claim = budget_.take(estimated_input(q.request), q.request.max_tokens, q.how);
  if (claim.what == budget::verdict::taken) {
    q.reserved = claim.tokens;
    q.request.max_tokens = claim.max_tokens;
  }
  return claim;
}

const msg::sampling_call& ledger::settle(const completion_request& q, const round_answer& answer,
                                         std::chrono::microseconds duration) {
  msg::sampling_call call;
  call.route = q.route->name;
  call.model = answer.ok() ? answer.value.model : q.request.model;
  call.error = answer.error.code;
  call.stop = answer.value.stop;
  call.tool_calls = static_cast<uint32_t>(answer.value.uses.size());
  call.duration_us = static_cast<uint64_t>(duration.count());
  call.usage = used_by(q, answer);
  if (is_verbose_) {
    call.prompt = last_prompt(q);
    call.answer = given_answer(q, answer);
  }
  budget_.settle(q.reserved, call.usage);
  used_.is_estimated = used_.is_estimated || call.usage.is_estimated;
  used_.duration_us += call.duration_us;
  return used_.calls.emplace_back(std::move(call));
}

msg::sampling_report ledger::report(const std::string& route) const {
  auto out = used_;
  out.enabled = true;
  out.route = route;
  out.rounds = budget_.rounds();
  out.tokens = budget_.tokens();
  out.rounds_left = budget_.rounds_left();
  out.tokens_left = budget_.tokens_left();
  return out;
}

const std::string& last_prompt(const completion_request& q) { return q.request.messages.back().text; }

const std::string& given_answer(const completion_request& q, const round_answer& answer) {
  return answer.ok() ? answer.value.text : q.stream.given();
}

} // namespace sampling
