#include "mcp/trace.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include <sys/random.h>

namespace mcp {

namespace json = boost::json;

namespace {

// https://www.w3.org/TR/trace-context/#traceparent-header: version, trace id, parent id, flags.
constexpr std::string_view parent_form = "00-00000000000000000000000000000000-0000000000000000-00";
constexpr size_t trace_at = 3, trace_length = 32, parent_at = 36, parent_length = 16, flags_at = 53;
/// What every implementation has to pass on, and the limit of the baggage.
constexpr size_t state_bytes_max = 512;
constexpr size_t baggage_bytes_max = 8'192;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool is_zero(std::string_view text) { return text.find_first_not_of('0') == text.npos; }
uint8_t digit(char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

/// A later version may have more behind it.
bool is_parent(std::string_view text) {
  if (text.size() < parent_form.size() || text.starts_with("ff"))
    return false;
  for (size_t i = 0; i < parent_form.size(); ++i)
    if (parent_form[i] == '-' ? text[i] != '-' : !is_hex(text[i]))
      return false;
  bool ends = text.size() == parent_form.size() || (!text.starts_with("00") && text[parent_form.size()] == '-');
  return ends && !is_zero(text.substr(trace_at, trace_length)) && !is_zero(text.substr(parent_at, parent_length));
}

std::string_view text_at(const json::object& meta, std::string_view key) {
  auto* v = meta.if_contains(key);
  return v && v->is_string() ? std::string_view{v->get_string()} : std::string_view{};
}

/// A header value, or nothing.
std::string header_at(const json::object& meta, std::string_view key, size_t bytes_max) {
  auto text = text_at(meta, key);
  bool fits =
    text.size() <= bytes_max && std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return fits ? std::string{text} : std::string{};
}

uint64_t random_number() {
  uint64_t n = 0;
  if (::getrandom(&n, sizeof n, 0) != static_cast<ssize_t>(sizeof n)) // never for so few, once the machine has started
    n = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return n | 1U; // never zero
}

std::string hex(uint64_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out(2 * sizeof number, '0');
  for (auto c = out.rbegin(); c != out.rend(); ++c) {
    *c = digits[number & 15U];
    number >>= 4U;
  }
  return out;
}

} // namespace

msg::trace_context read_trace(const json::object& meta) {
  msg::trace_context trace;
  trace.baggage = header_at(meta, "baggage", baggage_bytes_max);
  auto parent = text_at(meta, "traceparent");
  if (!is_parent(parent))
    return trace;
  trace.trace_id = parent.substr(trace_at, trace_length);
  trace.flags = static_cast<uint8_t>(digit(parent[flags_at]) << 4U | digit(parent[flags_at + 1])) & 1U;
  trace.state = header_at(meta, "tracestate", state_bytes_max);
  return trace;
}

void begin_trace(msg::trace_context& trace) {
  if (trace.trace_id.empty())
    trace.trace_id = hex(random_number()) + hex(random_number());
  trace.span = random_number();
}

msg::trace_headers headers_of(const msg::trace_context& trace, uint64_t call) {
  msg::trace_headers headers;
  if (trace.trace_id.empty())
    return headers;
  auto span = trace.span + call;
  headers.parent = "00-" + trace.trace_id + "-" + hex(span == 0 ? 1 : span) + (trace.flags == 0 ? "-00" : "-01");
  headers.state = trace.state;
  headers.baggage = trace.baggage;
  return headers;
}

} // namespace mcp
