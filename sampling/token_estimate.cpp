#include "sampling/token_estimate.hpp"

#include "messages/document.hpp"
#include "sampling/json_fields.hpp"

#include <algorithm>

namespace sampling {

namespace {

/// What providers add around a message, and around a tool: OpenAI's cookbook counts 3 and about 12.
constexpr uint32_t message_tokens = 5;
constexpr uint32_t tool_tokens = 15;

} // namespace

uint32_t estimated_tokens(std::string_view) { return 0; }

uint32_t estimated_input(const msg::model_request& request) {
  uint32_t out = estimated_tokens(request.system);
  for (auto& m : request.messages) {
    out = sum(out, sum(message_tokens, estimated_tokens(m.text)));
    for (auto& u : m.uses)
      out = sum(out, sum(tool_tokens, sum(estimated_tokens(u.name), estimated_tokens(u.input.text()))));
    for (auto& a : m.answers)
      out = sum(out, sum(tool_tokens, estimated_tokens(a.text)));
  }
  for (auto& t : request.tools)
    out = sum(out, sum(tool_tokens, sum(estimated_tokens(t.description), estimated_tokens(t.input_schema.text()))));
  return out;
}

msg::token_usage usage_of(const msg::model_request& request, const msg::model_answer& answer) {
  if (!answer.usage.is_estimated)
    return answer.usage;
  auto output = estimated_tokens(answer.text);
  for (auto& u : answer.uses)
    output = sum(output, sum(tool_tokens, estimated_tokens(u.input.text())));
  return {estimated_input(request), output, true};
}

} // namespace sampling
