#include "proxy/surface/truncated_report.hpp"

#include "messages/limits.hpp"
#include "text/json_text.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cmath>

namespace surface {

namespace json = boost::json;

namespace {

/// Errors are for reading: what a program puts into one does not flood the model. Also valid UTF-8.
constexpr size_t error_chars_max = 4'000;
constexpr size_t tool_error_chars_max = 1'000;

std::string cut_error(std::string text, size_t chars_max) {
  msg::captured_text whole;
  whole.head = std::move(text);
  return text::without_terminal_control(truncate_text(whole, chars_max).text);
}

msg::program_error cut_error(msg::program_error e) {
  e.name = cut_error(std::move(e.name), tool_error_chars_max);
  e.message = cut_error(std::move(e.message), error_chars_max);
  e.stack = cut_error(std::move(e.stack), error_chars_max);
  return e;
}

text::left_out leave_terminal_control_out(truncated_text& shown) {
  text::left_out what{};
  shown.text = text::without_terminal_control(shown.text, &what);
  return what;
}

} // namespace

std::string truncate_error(std::string text) { return cut_error(std::move(text), tool_error_chars_max); }

truncated_report::truncated_report(const msg::run_report& r, const kept_artifacts& kept)
  : output(truncate_text(r.output, kept.chars_max, kept.advice(msg::artifact_part::output))),
    diagnostics(truncate_text(r.diagnostics, kept.chars_max, kept.advice(msg::artifact_part::diagnostics))),
    result(show_value(r.result.value(), kept, msg::artifact_part::result)),
    error(cut_error(r.error)) {
  sequences = std::max(leave_terminal_control_out(output), leave_terminal_control_out(diagnostics));
  if (sequences == text::left_out::sequences)
    left_out.emplace_back(sequences_note);
  auto tell = [&](uint64_t bytes, const char* name, msg::artifact_part part) {
    if (bytes > 0)
      left_out.push_back(left_out_line(name, bytes, kept, part));
  };
  tell(output.bytes_total, "stdout", msg::artifact_part::output);
  tell(diagnostics.bytes_total, "stderr", msg::artifact_part::diagnostics);
  tell(result.cut_bytes, "result", msg::artifact_part::result);
}

json::object call_result(std::string text, json::object structured, bool failed) {
  json::array content;
  content.push_back(json::object{{"type", "text"}, {"text", text}});
  json::object result{{"content", std::move(content)}, {"structuredContent", std::move(structured)}};
  if (failed)
    result["isError"] = true;
  return result;
}

double milliseconds(uint64_t us) { return std::round(static_cast<double>(us) / 100.0) / 10.0; }

void add_paragraph(std::string& text, std::string_view more) {
  while (more.ends_with('\n'))
    more.remove_suffix(1);
  if (more.empty())
    return;
  if (!text.empty())
    text += '\n';
  text += more;
}

std::string as_text(const json::value& v) { return v.is_string() ? std::string{v.get_string()} : text::to_text(v); }

json::array lines_of(std::string_view text) {
  json::array out;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    out.push_back(json::string{text.substr(0, end)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string error_line(const msg::program_error& e) {
  return text::valid_utf8((e.name.empty() ? "" : e.name + ": ") + e.message);
}

std::string position_line(const msg::program_error& e) {
  return e.line == 0
           ? ""
           : "\nat line " + std::to_string(e.line) + (e.column > 0 ? ", column " + std::to_string(e.column) : "");
}

} // namespace surface
