#include "actors/sampling/round_answer.hpp"

#include "sampling/json_fields.hpp"
#include "sampling/token_estimate.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace sampling {

namespace json = boost::json;
using msg::errc;

namespace {

json::object usage_doc(const msg::token_usage& usage) {
  json::object out{{"inputTokens", usage.input}, {"outputTokens", usage.output}};
  if (usage.is_estimated)
    out["estimated"] = true;
  return out;
}

uint32_t prompts_of(const completion_request& q, uint32_t times) {
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{estimated_input(q.request)} * times, UINT32_MAX));
}

/// Of the last one nobody says what the others have cost: the prompt was read each time.
msg::token_usage with_all_tries(msg::token_usage last, const completion_request& q, uint32_t times) {
  if (times > 1)
    last = {sum(last.input, prompts_of(q, times - 1)), last.output, true};
  return last;
}

} // namespace

void complete(round_answer& answer, completion_request& q) {
  if (!answer.ok())
    return;
  answer.value.usage = with_all_tries(usage_of(q.request, answer.value), q, answer.value.times_asked);
  if (answer.value.model.empty())
    answer.value.model = q.request.model;
  if (q.request.stream)
    q.stream.finish_round();
  answer.error = q.tools.check(answer.value);
}

void filter_answer(round_answer& answer, const content_filter::content_policy& policy) {
  if (!answer.ok())
    return;
  auto whole = content_filter::filter_content(answer.value.text, policy);
  if (!whole.ok())
    answer.error = {errc::not_allowed, content_filter::refusal(*whole.blocked)};
  else
    answer.value.text = std::move(whole.text);
}

msg::token_usage used_by(const completion_request& q, const round_answer& answer) {
  auto& told = answer.value.usage;
  bool is_known = !told.is_estimated && told.input + uint64_t{told.output} > 0;
  auto times = answer.value.times_asked;
  if (answer.ok())
    return told;
  if (times == 0)
    return {};
  auto& received = q.stream.received();
  auto& came = answer.value.text.size() > received.size() ? answer.value.text : received;
  auto output = sum(estimated_tokens(came), estimated_uses(answer.value));
  if (is_known)
    return with_all_tries(believed(told, estimated_input(q.request), output), q, times);
  return {std::max(told.input, prompts_of(q, times)), std::max(told.output, output), true};
}

msg::document answer_doc(const msg::model_answer& answer) {
  return msg::document{json::object{{"text", answer.text},
                                    {"model", answer.model},
                                    {"stopReason", to_string(answer.stop)},
                                    {"usage", usage_doc(answer.usage)}}};
}

} // namespace sampling
