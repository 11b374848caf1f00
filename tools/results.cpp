#include "tools/results.hpp"

#include "messages/json_text.hpp"
#include "messages/limits.hpp"
#include "messages/utf8.hpp"
#include "tools/display.hpp"
#include "tools/fit.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cmath>

namespace tools {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::run_status;

namespace {

json::object call_result(std::string text, json::object structured, bool failed) {
  json::array content;
  content.push_back(json::object{{"type", "text"}, {"text", text}});
  json::object result{{"content", std::move(content)}, {"structuredContent", std::move(structured)}};
  if (failed)
    result["isError"] = true;
  return result;
}

double milliseconds(uint64_t us) { return std::round(static_cast<double>(us) / 100.0) / 10.0; } // one decimal is what is meaningful

/// A report with everything in the size a model can take.
struct fitted_report {
  fitted_text output, diagnostics;
  fitted_value result;
  bool truncated() const { return output.truncated || diagnostics.truncated || result.truncated; }

  explicit fitted_report(const msg::run_report& r)
    : output(fit_text(r.output, limits::model_text_chars_max)),
      diagnostics(fit_text(r.diagnostics, limits::model_text_chars_max)),
      result(fit_value(r.result.value(), limits::model_text_chars_max)) {}
};

void add_paragraph(std::string& text, std::string_view more) {
  while (more.ends_with('\n'))
    more.remove_suffix(1);
  if (more.empty())
    return;
  if (!text.empty())
    text += '\n';
  text += more;
}

std::string as_text(const json::value& v) { return v.is_string() ? std::string{v.get_string()} : msg::to_text(v); }

/// The error in one line, and the stack below it without the line that says the same.
std::string error_text(const msg::program_error& e) {
  auto stack = e.stack;
  auto same = e.name + ": " + e.message;
  if (auto at = stack.find(same); at != stack.npos)
    stack.erase(at, same.size() + (stack.substr(at + same.size()).starts_with('\n') ? 1 : 0));
  while (stack.ends_with('\n'))
    stack.pop_back();
  return error_line(e) + (stack.find_first_not_of(" \n") == stack.npos ? "" : "\n" + msg::valid_utf8(stack));
}

/// Errors are for reading: what a program puts into one does not flood the model. Also valid UTF-8.
constexpr size_t error_chars_max = 4'000;
constexpr size_t tool_error_chars_max = 1'000;

std::string fit_error(std::string text, size_t chars_max) {
  msg::captured_text whole;
  whole.head = std::move(text);
  return fit_text(whole, chars_max).text;
}

msg::program_error fit_error(msg::program_error e) {
  e.name = fit_error(std::move(e.name), tool_error_chars_max);
  e.message = fit_error(std::move(e.message), error_chars_max);
  e.stack = fit_error(std::move(e.stack), error_chars_max);
  return e;
}

json::array call_summary(const std::vector<msg::tool_stats>& tools) {
  json::array out;
  for (auto& t : tools) {
    json::object row{{"toolName", t.name},
                     {"callCount", t.calls},
                     {"successCount", t.successes},
                     {"errorCount", t.errors},
                     {"totalDurationMs", milliseconds(t.duration_us)},
                     {"averageDurationMs", milliseconds(t.calls ? t.duration_us / t.calls : 0)}};
    if (!t.last_error.empty())
      row["lastErrorMessage"] = fit_error(t.last_error, tool_error_chars_max);
    out.push_back(std::move(row));
  }
  return out;
}

// ---- shape A -------------------------------------------------------------------------------

/// stdout, and stderr behind it under a heading of its own.
std::string whole_output(const fitted_report& fitted) {
  auto text = fitted.output.text;
  if (!fitted.diagnostics.text.empty()) {
    if (!text.empty() && !text.ends_with('\n'))
      text += '\n';
    text += "[stderr]\n" + fitted.diagnostics.text;
  }
  return text;
}

json::object shape_a(const msg::run_report& r) {
  fitted_report fitted{r};
  auto output = whole_output(fitted);
  bool failed = r.status != run_status::success;
  json::object s{{"success", !failed}, {"output", output}, {"executionTimeMs", milliseconds(r.duration_us)}};
  std::string text;
  add_paragraph(text, output);
  if (r.has_result) {
    add_paragraph(text, as_text(fitted.result.value));
    s["result"] = std::move(fitted.result.value);
  }
  if (failed) {
    s["error"] = error_text(r.error);
    add_paragraph(text, "Error: " + error_text(r.error));
  }
  if (!r.tools.empty()) {
    json::array names;
    for (auto& t : r.tools)
      names.push_back(json::string{t.name});
    s["toolCallsMade"] = std::move(names);
    s["toolCallSummary"] = call_summary(r.tools);
  }
  if (fitted.truncated())
    s["truncated"] = true;
  if (text.empty() && r.displayed.empty())
    text = "Done: the program printed and returned nothing.";
  return call_result(std::move(text), std::move(s), failed);
}

// ---- shape B -------------------------------------------------------------------------------

json::array lines_of(std::string_view text) {
  json::array out;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    out.push_back(json::string{text.substr(0, end)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

json::object shape_b(const msg::run_report& r) {
  fitted_report fitted{r};
  bool failed = r.status != run_status::success;
  json::object s{{"success", !failed}};
  if (failed)
    s["error"] = error_line(r.error);
  else if (r.has_result)
    s["result"] = std::move(fitted.result.value);
  auto logs = lines_of(fitted.output.text);
  for (auto& line : lines_of(fitted.diagnostics.text))
    logs.push_back(line);
  if (!logs.empty())
    s["logs"] = std::move(logs);
  s["execution_ms"] = std::round(milliseconds(r.duration_us));
  return call_result(msg::to_text(s), s, failed);
}

// ---- shape C -------------------------------------------------------------------------------

/// The sentence of a failed run, in the words of its seed.
std::string c_error(const msg::run_report& r) {
  if (r.status == run_status::timeout || !r.error.name.empty())
    return r.error.name.empty() ? r.error.message : "Sandbox exited with code " + std::to_string(r.exit_code);
  return r.error.message;
}

std::string c_status(const msg::run_report& r) {
  return r.status == run_status::success ? "success" : r.status == run_status::timeout ? "timeout" : "error";
}

/// Compact mode: only what is not the default, in the order of the seed.
json::object c_fields(const msg::run_report& r, const fitted_report& fitted, const std::string& diagnostics, const std::vector<std::string>& servers,
                      uint32_t timeout_s) {
  bool failed = r.status != run_status::success;
  json::object s;
  if (failed)
    s["status"] = c_status(r);
  if (r.status == run_status::timeout)
    s["summary"] = "Timeout: execution exceeded " + std::to_string(timeout_s) + "s";
  else if (failed)
    s["summary"] = "Sandbox error: " + c_error(r);
  else if (fitted.output.text.empty() && diagnostics.empty())
    s["summary"] = "Success (no output)";
  if (failed)
    s["exitCode"] = r.exit_code;
  if (!servers.empty())
    s["servers"] = json::array(servers.begin(), servers.end());
  if (!fitted.output.text.empty())
    s["stdout"] = lines_of(fitted.output.text);
  if (!diagnostics.empty())
    s["stderr"] = lines_of(diagnostics);
  if (failed)
    s["error"] = r.status == run_status::timeout ? "Execution timed out after " + std::to_string(timeout_s) + "s" : c_error(r);
  if (r.status == run_status::timeout)
    s["timeoutSeconds"] = timeout_s;
  return s;
}

std::string c_text(const json::object& s, std::string_view output, std::string_view diagnostics) {
  std::string text;
  auto* status = s.if_contains("status");
  if (status)
    add_paragraph(text, "status: " + as_text(*status));
  if (auto* code = s.if_contains("exitCode"); code && *code != 0)
    add_paragraph(text, "exit: " + as_text(*code));
  add_paragraph(text, output);
  if (!diagnostics.empty())
    add_paragraph(text, "stderr:\n" + std::string{diagnostics});
  if (auto* summary = s.if_contains("summary"); summary && output.empty() && diagnostics.empty())
    add_paragraph(text, as_text(*summary));
  auto* error = s.if_contains("error"); // of a plain error it would only say again what is above
  if (error && *status != "error")
    add_paragraph(text, "error: " + as_text(*error));
  return text;
}

json::object shape_c(const msg::run_report& r, const std::vector<std::string>& servers) {
  fitted_report fitted{r};
  auto diagnostics = fitted.diagnostics.text;
  bool raised = r.status == run_status::error && !r.error.name.empty() && r.error.name != "SystemExit";
  if (raised) { // C prints the traceback of the program on its stderr
    if (!diagnostics.empty() && !diagnostics.ends_with('\n'))
      diagnostics += '\n';
    diagnostics += r.error.stack.empty() ? error_line(r.error) : r.error.stack;
  }
  auto s = c_fields(r, fitted, diagnostics, servers, static_cast<uint32_t>(r.duration_us / 1'000'000));
  auto text = c_text(s, fitted.output.text, diagnostics);
  return call_result(std::move(text), std::move(s), r.status != run_status::success);
}

} // namespace

std::string error_line(const msg::program_error& e) {
  auto text = (e.name.empty() ? "" : e.name + ": ") + e.message;
  if (e.line > 0)
    text += " (line " + std::to_string(e.line) + (e.column > 0 ? ", column " + std::to_string(e.column) : "") + ")";
  return msg::valid_utf8(text);
}

json::object run_result(const tool& t, const msg::run_report& whole, const std::vector<std::string>& servers) {
  auto report = whole;
  report.error = fit_error(std::move(report.error));
  auto result = t.shape == result_shape::a ? shape_a(report) : t.shape == result_shape::b ? shape_b(report) : shape_c(report, servers);
  auto& content = result["content"].as_array();
  if (!report.displayed.empty() && content[0].at("text").as_string().empty())
    content.clear();
  if (report.session.state != msg::session_state::none)
    result["structuredContent"].as_object()["session"] = session_object(report.session);
  if (auto line = session_line(report.session); !line.empty() && t.shape == result_shape::a)
    content.push_back(json::object{{"type", "text"}, {"text", line}});
  for (auto& block : content_blocks(report.displayed))
    content.push_back(std::move(block));
  return result;
}

json::object refused_run(const tool& t, const msg::fault& why) {
  if (t.shape == result_shape::c) {
    bool invalid = why.code == msg::errc::invalid_argument;
    auto status = invalid ? "validation_error" : "error";
    auto summary = (invalid ? "" : "Sandbox error: ") + why.message;
    json::object s{{"status", status}, {"summary", summary}, {"error", why.message}};
    auto text = c_text(s, "", "");
    return call_result(std::move(text), std::move(s), true);
  }
  msg::run_report report;
  report.error.message = why.message;
  return run_result(t, report, {});
}

json::object document_result(json::object document) {
  auto text = msg::to_text(document);
  return call_result(std::move(text), std::move(document), false);
}

json::object error_result(const msg::fault& why) {
  json::object s{{"error", why.message}, {"code", msg::to_string(why.code)}};
  if (!why.suggestions.empty())
    s["suggestions"] = json::array(why.suggestions.begin(), why.suggestions.end());
  auto text = why.message;
  return call_result(std::move(text), std::move(s), true);
}

} // namespace tools
