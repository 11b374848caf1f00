#include "proxy/surface/sampling.hpp"

#include "messages/limits.hpp"
#include "proxy/surface/truncate.hpp"
#include "proxy/surface/truncated_report.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cmath>

namespace surface {

namespace json = boost::json;

namespace {

/// Of one prompt or answer: enough to see what was asked.
constexpr size_t text_chars_max = 4'000;
/// The names that providers give to models are shorter.
constexpr size_t model_bytes_max = 200;

json::object call_object(const msg::sampling_call& call, size_t chars_max) {
  json::object out{{"model", text::quoted(call.model, model_bytes_max)},
                   {"provider", call.route},
                   {"inputTokens", call.usage.input},
                   {"outputTokens", call.usage.output}};
  if (call.usage.is_estimated)
    out["estimated"] = true;
  out["durationMs"] = milliseconds(call.duration_us);
  if (call.error == msg::errc::none)
    out["stopReason"] = msg::to_string(call.stop);
  else
    out["error"] = msg::to_string(call.error);
  if (call.tool_calls > 0)
    out["toolCalls"] = call.tool_calls;
  auto add_text = [&](const char* name, const std::string& text) {
    if (!text.empty())
      out[name] = truncate_text({text, "", 0}, chars_max).text;
  };
  add_text("prompt", call.prompt);
  add_text("answer", call.answer);
  return out;
}

json::object metrics_object(const msg::sampling_report& r) {
  auto average = r.rounds > 0 ? std::round(static_cast<double>(r.tokens) * 10 / r.rounds) / 10 : 0.0;
  json::object out{{"totalRounds", r.rounds},
                   {"totalTokens", r.tokens},
                   {"totalDurationMs", milliseconds(r.duration_us)},
                   {"averageTokensPerRound", average},
                   {"quotaRemaining", {{"rounds", r.rounds_left}, {"tokens", r.tokens_left}}}};
  if (!r.route.empty())
    out["route"] = r.route;
  if (r.is_estimated)
    out["estimated"] = true;
  return out;
}

std::string counted(uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

} // namespace

void add_sampling(json::object& structured, const msg::sampling_report& r) {
  if (!r.enabled)
    return;
  if (!r.calls.empty()) {
    auto chars_max = std::min(text_chars_max, msg::limits::model_text_chars_max / (2 * r.calls.size()));
    json::array calls;
    for (auto& call : r.calls)
      calls.push_back(call_object(call, chars_max));
    structured["samplingCalls"] = std::move(calls);
  }
  structured["samplingMetrics"] = metrics_object(r);
}

std::string sampling_line(const msg::sampling_report& r) {
  if (!r.enabled || (r.rounds == 0 && r.calls.empty()))
    return {};
  return "[sampling: " + counted(r.rounds, "round") + ", " + counted(r.tokens, "token")
         + (r.is_estimated ? " (estimated)" : "") + (r.route.empty() ? "" : ", " + r.route) + "]";
}

} // namespace surface
