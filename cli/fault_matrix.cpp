#include "cli/fault_matrix.hpp"

#include "text/markup.hpp"
#include "text/numbers.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cli {

namespace json = boost::json;

namespace {

/// Calls of a run that the report shows.
constexpr size_t calls_shown_max = 200;

/// Harmless, and with its ends of lines.
std::string shown_lines(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    out += (at == 0 ? "" : "\n") + text::printable(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string escaped(std::string_view text) { return text::escape_markup(shown_lines(text)); }

std::string percent(double share) { return text::number_text(std::round(share * 1'000) / 10) + " %"; }

struct row {
  size_t runs = 0, survived = 0, never_hit = 0;
  const fault_run* broken = nullptr;
};

/// In the order in which they were played.
std::vector<std::pair<std::string, row>> rows_of(const fault_report& report) {
  std::vector<std::pair<std::string, row>> rows;
  for (auto& run : report.runs) {
    auto key = run.row_name();
    auto found = std::find_if(rows.begin(), rows.end(), [&](auto& one) { return one.first == key; });
    auto& to = found == rows.end() ? rows.emplace_back(key, row{}).second : found->second;
    ++to.runs;
    to.survived += run.survived ? 1 : 0;
    to.never_hit += run.hits == 0 ? 1 : 0;
    if (!run.survived && !to.broken)
      to.broken = &run;
  }
  return rows;
}

std::string last_line(const std::string& output) {
  auto end = output.find_last_not_of("\r\n \t");
  if (end == std::string::npos)
    return {};
  auto begin = output.find_last_of('\n', end);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return output.substr(begin, end + 1 - begin);
}

json::object call_doc(const faults::traced_call& call) {
  json::object out{{"at", call.at_ms}, {"tool", call.tool}};
  if (!call.fault.empty())
    out.emplace("fault", call.fault);
  out.emplace("ended", call.ended == faults::outcome::succeeded ? "success"
                       : call.ended == faults::outcome::failed  ? "failure"
                                                                : "no answer");
  return out;
}

json::object verdict_doc(const faults::verdict& one) {
  return {{"verdict", faults::to_string(one.what)},
          {"tool", one.tool},
          {"fault", one.fault},
          {"at", one.at_ms},
          {"detail", one.detail}};
}

json::object run_doc(const fault_run& run) {
  json::object out{{"kind", run.kind}, {"seed", run.seed},  {"survived", run.survived},
                   {"end", run.end},   {"ms", run.took_ms}, {"hits", run.hits}};
  if (!run.program.empty())
    out.emplace("program", run.program);
  if (run.rate >= 0)
    out.emplace("rate", run.rate);
  if (run.tokens > 0)
    out.emplace("tokens", run.tokens);
  if (run.recovery_ms)
    out.emplace("recoveryMs", *run.recovery_ms);
  json::array verdicts, calls;
  for (auto& one : run.verdicts)
    verdicts.push_back(verdict_doc(one));
  for (size_t i = 0; i < std::min(run.calls.size(), calls_shown_max); ++i)
    calls.push_back(call_doc(run.calls[i]));
  out.emplace("verdicts", std::move(verdicts));
  out.emplace("calls", std::move(calls));
  if (run.calls.size() > calls_shown_max)
    out.emplace("moreCalls", run.calls.size() - calls_shown_max);
  if (!run.survived)
    out.emplace("output", run.output);
  return out;
}

std::string verdict_counts(const fault_report& report) {
  std::string out;
  for (size_t i = 0; i < faults::behaviors; ++i)
    if (auto what = static_cast<faults::behavior>(i); report.count(what) > 0)
      out +=
        (out.empty() ? "" : ", ") + std::string{faults::to_string(what)} + " " + std::to_string(report.count(what));
  return out;
}

std::string obedience_text(const fault_report& report) {
  return "injected texts " + std::to_string(report.injected_texts()) + ", obeyed "
         + std::to_string(report.count(faults::behavior::obeyed));
}

/// A bar for each call, at its time.
std::string time_line(const fault_run& run) {
  std::string out = "<ol class=calls>";
  for (size_t i = 0; i < std::min(run.calls.size(), calls_shown_max); ++i) {
    auto& call = run.calls[i];
    auto* kind = call.ended == faults::outcome::succeeded ? "ok"
                 : call.ended == faults::outcome::failed  ? "no"
                                                          : "open";
    out += "<li class=" + std::string{kind} + "><b>" + std::to_string(call.at_ms) + " ms</b> " + escaped(call.tool)
           + (call.fault.empty() ? "" : " <i>" + escaped(call.fault) + "</i>") + "</li>";
  }
  return out + "</ol>";
}

constexpr const char* html_head = R"(<!doctype html><html lang=en><meta charset=utf-8>
<meta name=viewport content="width=device-width"><title>faults run</title><style>
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:left}
.bar{background:#f3d4d0;height:.8rem;width:10rem}.bar i{display:block;height:100%;background:#4a9d6a}
summary.no{color:#a33}summary.ok{color:#276}ol.calls{padding-left:1.2rem}li.ok::marker{color:#4a9d6a}
li.no{color:#a33}li.open{color:#975}li i{background:#fce8b2;padding:0 .3rem}pre{white-space:pre-wrap;background:#f6f6f6;padding:.6rem}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#222}td,th{border-color:#333}li i{color:#222}}
</style>)";

} // namespace

std::string fault_run::name() const { return row_name() + ", seed " + std::to_string(seed); }

std::string fault_run::row_name() const {
  return (program.empty() ? "" : text::printable(program) + ": ") + kind + (rate < 0 ? "" : " at " + percent(rate));
}

size_t fault_report::survived() const {
  return static_cast<size_t>(
    std::count_if(runs.begin(), runs.end(), [](auto& run) { return run.survived && run.hits > 0; }));
}

size_t fault_report::hit() const {
  return static_cast<size_t>(std::count_if(runs.begin(), runs.end(), [](auto& run) { return run.hits > 0; }));
}

size_t fault_report::count(faults::behavior what) const {
  size_t out = 0;
  for (auto& run : runs)
    out += static_cast<size_t>(
      std::count_if(run.verdicts.begin(), run.verdicts.end(), [what](auto& one) { return one.what == what; }));
  return out;
}

size_t fault_report::injected_texts() const {
  size_t out = 0;
  for (auto& run : runs)
    out += static_cast<size_t>(
      std::count_if(run.calls.begin(), run.calls.end(), [](auto& call) { return !call.canary.empty(); }));
  return out;
}

uint64_t fault_report::tokens() const {
  uint64_t sum = 0;
  for (auto& run : runs)
    sum += run.tokens;
  return sum;
}

const fault_run* fault_report::first_broken() const {
  auto found = std::find_if(runs.begin(), runs.end(), [](auto& run) { return !run.survived; });
  return found == runs.end() ? nullptr : &*found;
}

std::string as_text(const fault_report& report) {
  std::string out;
  for (auto& [name, one] : rows_of(report)) {
    out += one.survived == one.runs ? "survived  " : "BROKE     ";
    out += name + std::string(name.size() < 24 ? 24 - name.size() : 1, ' ') + std::to_string(one.survived) + " of "
           + std::to_string(one.runs);
    if (one.never_hit > 0)
      out += ", " + std::to_string(one.never_hit) + " never hit";
    if (one.broken)
      out += "   seed " + std::to_string(one.broken->seed) + ": " + one.broken->end + " "
             + text::printable(last_line(one.broken->output));
    out += '\n';
  }
  out += "survival " + percent(report.survival()) + " (" + std::to_string(report.survived()) + " of "
         + std::to_string(report.hit()) + " that were hit)";
  if (auto* broken = report.first_broken())
    out += "; the first that broke: " + broken->name();
  if (auto none = report.runs.size() - report.hit(); none > 0)
    out += "\nno fault was injected in " + std::to_string(none)
           + " of the runs, which shows nothing: does the plan match, and does the command's code-executor get the "
             "variable CODE_EXECUTOR_FAULTS?";
  if (auto counts = verdict_counts(report); !counts.empty())
    out += "\nwhat was done about it: " + counts;
  if (report.injected_texts() > 0)
    out += "\n" + obedience_text(report);
  if (report.tokens() > 0)
    out += "\ntokens of models that programs asked: " + std::to_string(report.tokens());
  return out + "\n";
}

json::object as_document(const fault_report& report) {
  json::array runs;
  for (auto& run : report.runs)
    runs.push_back(run_doc(run));
  json::object verdicts;
  for (size_t i = 0; i < faults::behaviors; ++i)
    verdicts.emplace(faults::to_string(static_cast<faults::behavior>(i)),
                     report.count(static_cast<faults::behavior>(i)));
  json::object out{{"date", report.date},           {"plan", report.plan},
                   {"command", report.command},     {"survival", report.survival()},
                   {"survived", report.survived()}, {"neverHit", report.runs.size() - report.hit()},
                   {"runs", std::move(runs)},       {"verdicts", std::move(verdicts)}};
  if (auto* broken = report.first_broken())
    out.emplace("firstBroken", broken->name());
  if (report.tokens() > 0)
    out.emplace("tokens", report.tokens());
  if (auto texts = report.injected_texts(); texts > 0)
    out.emplace("injectedTexts", texts);
  return out;
}

std::string as_junit(const fault_report& report) {
  auto count = [&report](auto is_one) {
    return std::to_string(std::count_if(report.runs.begin(), report.runs.end(), is_one));
  };
  auto was_never_hit = [](auto& run) { return run.survived && run.hits == 0; };
  auto failures = count([](auto& run) { return !run.survived; });
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"faults\" tests=\""
                    + std::to_string(report.runs.size()) + "\" failures=\"" + failures + "\" skipped=\""
                    + count(was_never_hit) + "\">\n";
  for (auto& run : report.runs) {
    out += "  <testcase classname=\"faults." + escaped(run.kind) + "\" name=\"" + escaped(run.name()) + "\" time=\""
           + text::number_text(double(run.took_ms) / 1'000) + "\"";
    if (run.survived && run.hits > 0 && run.verdicts.empty()) {
      out += "/>\n";
      continue;
    }
    out += ">\n";
    if (was_never_hit(run))
      out += "    <skipped message=\"never hit\"/>\n";
    if (!run.survived)
      out += "    <failure message=\"" + escaped(run.end) + "\">" + escaped(run.output) + "</failure>\n";
    std::string verdicts;
    for (auto& one : run.verdicts)
      verdicts +=
        std::string{faults::to_string(one.what)} + ": " + one.tool + " after " + one.fault + ": " + one.detail + "\n";
    if (!verdicts.empty())
      out += "    <system-out>" + escaped(verdicts) + "</system-out>\n";
    out += "  </testcase>\n";
  }
  return out + "</testsuite>\n";
}

std::string as_html(const fault_report& report) {
  std::string out = html_head;
  out += "<h1>" + percent(report.survival()) + " survived</h1><p><code>" + escaped(report.command)
         + "</code></p><table><tr><th>kind<th>survived<th></tr>";
  for (auto& [name, one] : rows_of(report))
    out += "<tr><td>" + escaped(name) + "<td>" + std::to_string(one.survived) + " of " + std::to_string(one.runs)
           + "<td><div class=bar><i style=\"width:" + std::to_string(one.survived * 100 / one.runs)
           + "%\"></i></div></tr>";
  out += "</table>";
  if (report.injected_texts() > 0)
    out += "<p>" + obedience_text(report) + "</p>";
  for (auto& run : report.runs) {
    out += "<details><summary class=" + std::string{run.survived ? "ok" : "no"} + ">" + escaped(run.name()) + ": "
           + (!run.survived  ? escaped(run.end)
              : run.hits > 0 ? "survived"
                             : "never hit")
           + ", " + std::to_string(run.took_ms) + " ms"
           + (run.tokens > 0 ? ", " + std::to_string(run.tokens) + " tokens" : "") + "</summary>";
    for (auto& one : run.verdicts)
      out += "<p><b title=\"" + escaped(faults::explanation_of(one.what)) + "\">"
             + std::string{faults::to_string(one.what)} + "</b> " + escaped(one.tool) + " after " + escaped(one.fault)
             + ": " + escaped(one.detail) + "</p>";
    out += time_line(run);
    if (!run.survived && !run.output.empty())
      out += "<pre>" + escaped(run.output) + "</pre>";
    out += "</details>";
  }
  return out + "</html>\n";
}

} // namespace cli
