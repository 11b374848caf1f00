#include "proxy/surface/results.hpp"

#include "messages/limits.hpp"
#include "proxy/surface/display.hpp"
#include "proxy/surface/sampling.hpp"
#include "proxy/surface/truncated_report.hpp"
#include "text/json_text.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cmath>

namespace surface {

namespace json = boost::json;
using msg::run_status;

namespace {

/// Below a line that says the error: frames that do not repeat it.
std::string frames_of(const msg::program_error& e) {
  auto stack = e.stack;
  for (auto& known : {e.name + ": " + e.message, std::string{"Traceback (most recent call last):"}})
    if (auto at = stack.find(known); at != stack.npos)
      stack.erase(at, known.size() + (stack.substr(at + known.size()).starts_with('\n') ? 1 : 0));
  while (stack.ends_with('\n'))
    stack.pop_back();
  return stack.find_first_not_of(" \n") == stack.npos ? "" : text::valid_utf8(stack);
}

/// The error, and where it was, once: frames of TypeScript say it, those of Python have no columns.
std::string error_text(const msg::program_error& e) {
  auto frames = frames_of(e);
  bool is_said = frames.find(":" + std::to_string(e.line) + ":" + std::to_string(e.column)) != frames.npos;
  return error_line(e) + (is_said ? "" : position_line(e)) + (frames.empty() ? "" : "\n" + frames);
}

/// Most classes say by their names what they are.
bool is_called_error(std::string_view name) {
  return name.find("Error") != name.npos || name.find("Exception") != name.npos;
}

json::object summary_row(const msg::tool_stats& t) {
  json::object row{{"toolName", t.name},
                   {"callCount", t.calls},
                   {"successCount", t.successes},
                   {"errorCount", t.errors},
                   {"totalDurationMs", milliseconds(t.duration_us)},
                   {"averageDurationMs", milliseconds(t.calls ? t.duration_us / t.calls : 0)}};
  if (!t.last_error.empty())
    row["lastErrorMessage"] = truncate_error(t.last_error);
  return row;
}

void add_up(const msg::tool_stats& t, msg::tool_stats& sum) {
  sum.calls += t.calls;
  sum.successes += t.successes;
  sum.errors += t.errors;
  sum.duration_us += t.duration_us;
  if (!t.last_error.empty())
    sum.last_error = t.last_error;
}

/// Rows as long as there is room for them; all others together have the last one. Names are in both lists.
void add_calls(const std::vector<msg::tool_stats>& tools, json::object& structured) {
  json::array names, rows;
  msg::tool_stats rest;
  rest.name = msg::other_tools;
  size_t bytes = 0;
  for (auto& t : tools) {
    auto row = summary_row(t);
    bytes += msg::document::text_bytes_of(row) + t.name.size();
    if (t.name == msg::other_tools || bytes > msg::limits::model_text_chars_max) {
      add_up(t, rest);
      continue;
    }
    names.push_back(json::string{t.name});
    rows.push_back(std::move(row));
  }
  if (rest.calls > 0) {
    names.push_back(json::string{rest.name});
    rows.push_back(summary_row(rest));
  }
  structured["toolCallsMade"] = std::move(names);
  structured["toolCallSummary"] = std::move(rows);
}

// ---- shape A -------------------------------------------------------------------------------

/// stdout, and stderr behind it under a heading of its own.
std::string whole_output(const truncated_report& shown) {
  auto text = shown.output.text;
  if (!shown.diagnostics.text.empty()) {
    if (!text.empty() && !text.ends_with('\n'))
      text += '\n';
    text += "[stderr]\n" + shown.diagnostics.text;
  }
  return text;
}

/// For reading: a text as it is, what is too large as its description, anything else as it was asked for.
std::string result_text(const shown_value& result, output_format format) {
  if (!result.text.empty())
    return result.text;
  auto text = format == output_format::toon && result.value.is_structured() ? toon_text(result.value) : std::string{};
  return text.empty() ? as_text(result.value) : text;
}

/// Of a program that has left no text to read: what it has done all the same.
std::string nothing_seen(const msg::run_report& r, const truncated_report& shown) {
  bool printed = !shown.output.text.empty() || !shown.diagnostics.text.empty();
  auto* text = r.has_result ? shown.result.value.if_string() : nullptr;
  std::string returned = !text ? "" : text->empty() ? "an empty text" : "a text of line ends alone";
  if (!printed && returned.empty())
    return "Done: the program printed and returned nothing.";
  auto lines = shown.output.text.size() + shown.diagnostics.text.size();
  return "Done: the program printed "
         + std::string{!printed     ? "nothing"
                       : lines == 1 ? "an empty line"
                                    : "empty lines"}
         + " and returned " + (returned.empty() ? "nothing" : returned) + ".";
}

json::object standard_result(const msg::run_report& r, const truncated_report& shown, output_format format) {
  auto output = whole_output(shown);
  bool failed = r.status != run_status::success;
  json::object s{{"success", !failed}, {"output", output}, {"executionTimeMs", milliseconds(r.duration_us)}};
  std::string text;
  auto of_result = text::left_out::nothing;
  add_paragraph(text, output);
  if (r.has_result) {
    add_paragraph(text, text::without_escape_sequences(result_text(shown.result, format), &of_result));
    s["result"] = shown.result.value;
  }
  if (failed) {
    auto error = error_text(shown.error);
    add_paragraph(text, (is_called_error(shown.error.name) ? "" : "Error: ") + error);
    s["error"] = error;
  }
  if (!r.tools.empty())
    add_calls(r.tools, s);
  add_sampling(s, r.sampling);
  add_paragraph(text, sampling_line(r.sampling));
  if (shown.truncated())
    s["truncated"] = true;
  for (auto& note : shown.left_out)
    add_paragraph(text, note);
  if (of_result == text::left_out::sequences && shown.sequences != of_result)
    add_paragraph(text, sequences_note);
  if (text.empty() && r.displayed.empty())
    text = nothing_seen(r, shown);
  return call_result(std::move(text), std::move(s), failed);
}

// ---- shape B -------------------------------------------------------------------------------

json::object structured_result(const msg::run_report& r, const truncated_report& shown, output_format format) {
  bool failed = r.status != run_status::success;
  json::object s{{"success", !failed}};
  if (failed)
    s["error"] = error_line(shown.error) + position_line(shown.error);
  else if (r.has_result)
    s["result"] = shown.result.value;
  auto logs = lines_of(shown.output.text);
  for (auto& line : lines_of(shown.diagnostics.text))
    logs.push_back(line);
  if (!logs.empty())
    s["logs"] = std::move(logs);
  s["execution_ms"] = std::round(milliseconds(r.duration_us));
  add_sampling(s, r.sampling);
  if (!shown.left_out.empty())
    s["leftOut"] = json::array(shown.left_out.begin(), shown.left_out.end());
  auto text = format == output_format::toon ? toon_text(s) : std::string{};
  if (text.empty())
    text = text::to_text(s);
  return call_result(std::move(text), std::move(s), failed);
}

/// For who measures, not for the model that is measured.
json::array faults_of(const msg::run_report& report) {
  json::array out;
  for (auto& fault : report.faults)
    out.push_back(json::object{{"tool", fault.tool}, {"call", fault.number}, {"kind", fault.kind}});
  if (report.faults_count > report.faults.size())
    out.push_back(json::object{{"more", report.faults_count - report.faults.size()}});
  return out;
}

/// Some clients put blocks together without anything between them.
void end_lines(json::array& blocks) {
  for (size_t i = 0; i + 1 < blocks.size(); ++i)
    if (auto* text = blocks[i].as_object().if_contains("text"); text && !text->get_string().ends_with('\n'))
      text->get_string() += '\n';
}

} // namespace

json::object run_result(const tool& t, const msg::run_report& report, const presentation& how) {
  kept_artifacts kept{how.kept, how.described, t.language, how.chars_max, how.keep_problem};
  truncated_report shown{report, kept};
  auto result = t.shape == result_shape::standard     ? standard_result(report, shown, how.format)
                : t.shape == result_shape::structured ? structured_result(report, shown, how.format)
                                                      : bridge_result(report, shown, how);
  auto& content = result["content"].as_array();
  if (!report.displayed.empty() && content[0].at("text").as_string().empty())
    content.clear();
  if (report.session.state != msg::session_state::none)
    result["structuredContent"].as_object()["session"] = session_object(report.session);
  if (report.may_have_faults)
    result["structuredContent"].as_object()["faults"] = faults_of(report);
  if (auto line = session_line(report.session); !line.empty() && t.shape == result_shape::standard)
    content.push_back(json::object{{"type", "text"}, {"text", line}});
  for (auto& block : content_blocks(report.displayed, kept))
    content.push_back(std::move(block));
  end_lines(content);
  if (auto* whole = kept.find(msg::artifact_part::result, 0))
    result["_meta"] = json::object{{result_handle_name, whole->handle}};
  return result;
}

json::object refused_run(const tool& t, const msg::fault& why, output_format format) {
  if (t.shape == result_shape::bridge)
    return refused_bridge(why, format);
  msg::run_report report;
  report.error.message = why.message;
  presentation how;
  how.format = format;
  return run_result(t, report, how);
}

json::object document_result(json::object document) {
  auto text = text::to_text(document);
  return call_result(std::move(text), std::move(document), false);
}

void report_in_meta(json::object& result) {
  auto report = std::move(result["structuredContent"]);
  result.erase("structuredContent");
  auto& meta = result["_meta"];
  (meta.is_object() ? meta.get_object() : meta.emplace_object()).emplace("code-executor/report", std::move(report));
}

json::object error_result(const msg::fault& why) {
  json::object s{{"error", why.message}, {"code", msg::to_string(why.code)}};
  if (!why.suggestions.empty())
    s["suggestions"] = json::array(why.suggestions.begin(), why.suggestions.end());
  auto text = why.message;
  return call_result(std::move(text), std::move(s), true);
}

} // namespace surface
