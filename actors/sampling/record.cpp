#include "actors/sampling/record.hpp"

#include "messages/limits.hpp"

namespace sampling {

using msg::errc;

msg::audit_event record::event_of(msg::audit_kind kind) const {
  msg::audit_event e;
  e.kind = kind;
  e.run = run_;
  e.client = client_;
  return e;
}

msg::audit_event record::round(const completion_request& q, const msg::sampling_call& call,
                               const round_answer& answer) const {
  auto e = event_of(msg::audit_kind::sampling_call);
  e.route = call.route;
  e.model = call.model;
  e.prompt = last_prompt(q);
  e.answer = given_answer(q, answer);
  e.tokens = uint64_t{call.usage.input} + call.usage.output;
  e.duration_us = call.duration_us;
  e.success = answer.ok();
  if (!answer.ok())
    e.error = to_string(answer.error.code); // its text may quote a prompt, or the provider
  return e;
}

std::optional<msg::audit_event> record::refusal(const std::string& route, const std::string& model,
                                                const msg::fault& why) {
  bool is_refusal = why.code == errc::not_allowed || why.code == errc::limit_exceeded;
  if (!is_refusal || refusals_ >= msg::limits::audit_refusals_max)
    return {};
  auto e = event_of(msg::audit_kind::refusal);
  e.route = route;
  e.model = model;
  e.success = false;
  e.error = to_string(why.code); // as above
  if (++refusals_ == msg::limits::audit_refusals_max)
    e.error += " (further refusals of questions to models of this run have no lines)";
  return e;
}

} // namespace sampling
