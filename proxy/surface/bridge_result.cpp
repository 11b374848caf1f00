// The result of run_python, in the words of its seed.
#include "proxy/surface/truncated_report.hpp"

#include "proxy/surface/sampling.hpp"
#include "text/json_text.hpp"

#include <boost/json/value.hpp>

namespace surface {

namespace json = boost::json;
using msg::run_status;

namespace {

/// The sentence of a failed run, in the words of its seed.
std::string c_error(const msg::run_report& r, const msg::program_error& error) {
  if (r.status == run_status::timeout || !error.name.empty())
    return error.name.empty() ? error.message : "Sandbox exited with code " + std::to_string(r.exit_code);
  return error.message;
}

std::string c_status(const msg::run_report& r) {
  return r.status == run_status::success ? "success" : r.status == run_status::timeout ? "timeout" : "error";
}

/// The second line of what a run says that was out of time.
std::string what_was_open(const msg::run_report& r) {
  auto end = r.error.message.find('\n');
  return end == std::string::npos ? std::string{} : r.error.message.substr(end);
}

/// Everything that is not empty, in the order of the seed. Compact mode drops what is the default.
json::object all_fields(const msg::run_report& r, const truncated_report& shown, const std::string& diagnostics,
                        const std::vector<std::string>& servers) {
  bool failed = r.status != run_status::success;
  auto timeout_s = static_cast<uint32_t>(r.duration_us / 1'000'000);
  json::object s{{"status", c_status(r)}};
  if (r.status == run_status::timeout)
    s["summary"] = "Timeout: execution exceeded " + std::to_string(timeout_s) + "s";
  else if (failed)
    s["summary"] = "Sandbox error: " + c_error(r, shown.error);
  else
    s["summary"] = shown.output.text.empty() && diagnostics.empty() ? "Success (no output)" : "Success";
  s["exitCode"] = r.exit_code;
  if (!servers.empty())
    s["servers"] = json::array(servers.begin(), servers.end());
  if (!shown.output.text.empty())
    s["stdout"] = lines_of(shown.output.text);
  if (!diagnostics.empty())
    s["stderr"] = lines_of(diagnostics);
  if (failed)
    s["error"] = r.status == run_status::timeout
                   ? "Execution timed out after " + std::to_string(timeout_s) + "s" + what_was_open(r)
                   : c_error(r, shown.error);
  if (r.status == run_status::timeout)
    s["timeoutSeconds"] = timeout_s;
  add_sampling(s, r.sampling);
  if (!shown.left_out.empty())
    s["leftOut"] = json::array(shown.left_out.begin(), shown.left_out.end());
  return s;
}

/// What remains when a run went well is only what it printed. In the order of the seed.
json::object compact_fields(const json::object& all) {
  bool failed = all.at("status") != "success";
  json::object s;
  for (auto& [name, value] : all)
    if (failed || (name != "status" && name != "exitCode" && (name != "summary" || value != "Success")))
      s[name] = value;
  return s;
}

std::string compact_text(const json::object& s, std::string_view output, std::string_view diagnostics) {
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

/// No line of the block can end the fence: TOON writes line ends of texts as escapes.
std::string fenced(const json::object& fields) {
  if (auto text = toon_text(fields); !text.empty())
    return "```toon\n" + text + "\n```";
  return "```json\n" + text::to_text(fields) + "\n```";
}

} // namespace

json::object bridge_result(const msg::run_report& r, const truncated_report& shown, const presentation& how) {
  auto diagnostics = shown.diagnostics.text;
  auto& error = shown.error;
  bool raised = r.status == run_status::error && !error.name.empty() && error.name != "SystemExit";
  if (raised) { // C prints the traceback of the program on its stderr
    if (!diagnostics.empty() && !diagnostics.ends_with('\n'))
      diagnostics += '\n';
    diagnostics += error.stack.empty() ? error_line(error) + position_line(error) : error.stack;
  }
  bool failed = r.status != run_status::success;
  auto all = all_fields(r, shown, diagnostics, how.servers);
  if (how.format == output_format::toon)
    return call_result(fenced(all), all, failed);
  auto s = compact_fields(all);
  auto text = compact_text(s, shown.output.text, diagnostics);
  add_paragraph(text, sampling_line(r.sampling));
  for (auto& note : shown.left_out)
    add_paragraph(text, note);
  return call_result(std::move(text), std::move(s), failed);
}

json::object refused_bridge(const msg::fault& why, output_format format) {
  bool invalid = why.code == msg::errc::invalid_argument;
  auto status = invalid ? "validation_error" : "error";
  auto summary = (invalid ? "" : "Sandbox error: ") + why.message;
  json::object s{{"status", status}, {"summary", summary}, {"error", why.message}};
  auto text = format == output_format::toon ? fenced(s) : compact_text(s, "", "");
  return call_result(std::move(text), std::move(s), true);
}

} // namespace surface
