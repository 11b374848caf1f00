#include "tools/large.hpp"

#include "messages/json_text.hpp"
#include "messages/limits.hpp"
#include "outputs/sample.hpp"
#include "outputs/shape.hpp"
#include "tools/fit.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <ctime>

namespace tools {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::large_output;
using msg::output_part;

namespace {

void take_text(msg::captured_text& text, output_part part, std::vector<large_output>& to) {
  if (fits(text, limits::model_text_chars_max))
    return;
  auto seen = excerpt(text, limits::model_text_chars_max);
  to.push_back({part, 0, std::exchange(text, std::move(seen)), {}});
}

bool is_shown_as_text(const msg::display_block& block) { return block.kind == msg::block_kind::text || block.kind == msg::block_kind::json; }

std::string reading(const msg::kept_output& kept, msg::language lang) {
  auto handle = "'" + kept.handle + "'";
  if (lang == msg::language::python)
    return "read_output(" + handle + (kept.is_json ? ", path=None, offset=0, limit=None)" : ", offset=0, limit=None)");
  return "await readOutput(" + handle + (kept.is_json ? ", {path?, offset?, limit?})" : ", {offset?, limit?})");
}

/// ISO 8601, UTC.
std::string time_text(int64_t seconds) {
  auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char text[sizeof "2026-01-31T12:00:00Z"];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

} // namespace

std::vector<large_output> take_large(msg::run_report& report, result_shape shape) {
  std::vector<large_output> out;
  take_text(report.output, output_part::output, out);
  take_text(report.diagnostics, output_part::diagnostics, out);
  if (report.has_result && shape != result_shape::c && !fits(report.result.value(), limits::model_text_chars_max))
    out.push_back({output_part::result, 0, {}, report.result});
  for (uint32_t i = 0; i < report.displayed.size(); ++i)
    if (auto& block = report.displayed[i]; is_shown_as_text(block) && !fits(block.value.value(), limits::model_text_chars_max))
      out.push_back({output_part::display, i, {}, block.value});
  return out;
}

const msg::kept_output* kept_outputs::find(output_part part, uint32_t index) const {
  auto found = std::find_if(all.begin(), all.end(), [&](auto& k) { return k.part == part && k.index == index; });
  return found == all.end() ? nullptr : &*found;
}

std::string kept_outputs::advice(output_part part, uint32_t index) const {
  if (auto* kept = find(part, index))
    return "a later run reads it until " + time_text(kept->expires_s) + " by " + reading(*kept, lang);
  return std::string{print_less} + (problem.empty() ? "" : " (it was not kept: " + problem + ")");
}

shown_value show_value(const json::value& value, const kept_outputs& kept, output_part part, uint32_t index) {
  if (fits(value, limits::model_text_chars_max))
    return {value, {}, false};
  if (auto* text = value.if_string())
    return {json::value(fit_string(*text, limits::model_text_chars_max, kept.advice(part, index))), {}, true};
  auto shape = outputs::shape_of(value);
  auto sample = outputs::sample_of(value, limits::sample_bytes_max);
  auto* found = kept.find(part, index);
  auto text = "The value is too large to show" + (found ? " (" + std::to_string(found->bytes) + " bytes of JSON)" : std::string{}) + ". Its shape:\n"
              + shape + "\nA sample:\n" + msg::to_text(sample) + "\n";
  json::object out{{"shape", std::move(shape)}, {"sample", std::move(sample)}};
  if (!found) {
    auto problem = kept.problem.empty() ? "return less of it" : "it was not kept: " + kept.problem;
    out["problem"] = problem;
    return {std::move(out), text + "The rest is lost: " + problem, true};
  }
  out["handle"] = found->handle;
  out["bytes"] = found->bytes;
  out["expires"] = time_text(found->expires_s);
  out["read"] = reading(*found, kept.lang);
  return {std::move(out), text + "All of it, in a later run and until " + time_text(found->expires_s) + ": " + reading(*found, kept.lang), true};
}

} // namespace tools
