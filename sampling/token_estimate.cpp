#include "sampling/token_estimate.hpp"

#include "messages/document.hpp"
#include "sampling/json_fields.hpp"

#include <algorithm>
#include <utility>

namespace sampling {

namespace {

/// What providers add around a message, and around a tool: OpenAI's cookbook counts 3 and about 12.
constexpr uint32_t message_tokens = 5;
constexpr uint32_t tool_tokens = 15;
constexpr size_t token_bytes = 3;
/// Told tokens times this are not below the estimate of the text that came, or nobody has counted. The estimate is at
/// most 2.4 times what tokenizers count for text of any language (see tokens_of()); only of a text that is nothing but
/// lines of one sign it is more.
constexpr uint64_t estimate_per_told_max = 4;

enum class kind : uint8_t { lower, upper, digit, blank, line_end, sign, two_bytes, three_bytes, four_bytes, rest };

kind kind_of(char c) {
  auto byte = static_cast<unsigned char>(c);
  if (c >= 'a' && c <= 'z')
    return kind::lower;
  if (c >= 'A' && c <= 'Z')
    return kind::upper;
  if (c >= '0' && c <= '9')
    return kind::digit;
  if (c == ' ' || c == '\t')
    return kind::blank;
  if (c == '\n' || c == '\r')
    return kind::line_end;
  if (byte < 0x80)
    return kind::sign;
  return byte < 0xC0 ? kind::rest : byte < 0xE0 ? kind::two_bytes : byte < 0xF0 ? kind::three_bytes : kind::four_bytes;
}

/// Of a run of characters of one kind. Byte pair encodings have whole words of English in one token, other words in
/// pieces of four or five letters, two or three digits, and a blank together with the word behind it. The numbers are
/// chosen so that the sum is not below the largest of what three tokenizers count (o200k_base and cl100k_base of
/// OpenAI, and the one that Anthropic published): measured, it is 1.0 to 1.5 times as much for source text, JSON,
/// English, German, Arabic, Greek, UUIDs and tables of numbers, up to 2.4 times for French, Russian, Hindi, Chinese,
/// Japanese and Korean. It is less for base64 (0.8) and Thai (0.94 of what the oldest of them counts).
uint64_t tokens_of(kind what, uint64_t n, kind before) {
  switch (what) {
    case kind::lower: return before == kind::upper ? n / 4 : (n + 3) / 4; // the capital has been counted
    case kind::upper: return (n + 1) / 2;
    case kind::digit:
    case kind::sign: return (2 * n + 2) / 3;
    case kind::blank: return n == 1 ? 0 : (n + 7) / 8;
    case kind::line_end: return n > 2 ? (n + 1) / 2 : 1;
    case kind::two_bytes: return (5 * n + 3) / 4;
    case kind::three_bytes: return (7 * n + 3) / 4;
    case kind::four_bytes: return 3 * n;
    case kind::rest: break;
  }
  return 0;
}

} // namespace

uint32_t estimated_tokens(std::string_view text) {
  uint64_t out = 0;
  uint64_t length = 0; // of the run
  auto run = kind::rest, before = kind::rest;
  for (char c : text) {
    auto next = kind_of(c);
    if (next == kind::rest) // of a character that has been counted
      continue;
    if (next != run) {
      out += tokens_of(run, length, before);
      before = std::exchange(run, next);
      length = 0;
    }
    ++length;
  }
  return static_cast<uint32_t>(std::min<uint64_t>(out + tokens_of(run, length, before), UINT32_MAX));
}

uint32_t estimated_tokens_of(size_t bytes) {
  return static_cast<uint32_t>(std::min<size_t>(bytes / token_bytes + (bytes % token_bytes > 0 ? 1 : 0), UINT32_MAX));
}

uint32_t estimated_uses(const msg::model_answer& answer) {
  uint32_t out = 0;
  for (auto& u : answer.uses)
    out = sum(out, sum(tool_tokens, estimated_tokens(u.input.text())));
  return out;
}

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

msg::token_usage believed(const msg::token_usage& told, uint32_t estimated_input, uint32_t estimated_output) {
  if (told.is_estimated)
    return {estimated_input, estimated_output, true};
  bool lacks_input = told.input == 0 && estimated_input > 0;
  bool lacks_output = told.output * estimate_per_told_max < estimated_output;
  return {lacks_input ? estimated_input : told.input, lacks_output ? estimated_output : told.output,
          lacks_input || lacks_output};
}

msg::token_usage usage_of(const msg::model_request& request, const msg::model_answer& answer) {
  return believed(answer.usage, estimated_input(request), sum(estimated_tokens(answer.text), estimated_uses(answer)));
}

} // namespace sampling
