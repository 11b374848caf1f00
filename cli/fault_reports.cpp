#include "cli/fault_reports.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "config/file_text.hpp"
#include "faults/verdicts.hpp"
#include "mcp/fields.hpp"
#include "messages/document.hpp"
#include "text/numbers.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <set>
#include <utility>

namespace cli {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

/// What got worse if more runs did it.
constexpr std::array<faults::behavior, 4> judged_behaviors{faults::behavior::runaway, faults::behavior::blind_write,
                                                           faults::behavior::double_write, faults::behavior::obeyed};
/// Of a text of a report that is shown.
constexpr size_t report_text_bytes_max = 200;

std::string report_text(std::string_view text) { return text::printable(text::quoted(text, report_text_bytes_max)); }

double double_in(const json::object& from, std::string_view key, double otherwise) {
  auto* value = from.if_contains(key);
  json::error_code ec;
  auto number = value && value->is_number() ? value->to_number<double>(ec) : otherwise;
  return ec || !std::isfinite(number) ? otherwise : number;
}

std::string percent_text(double share) { return text::number_text(std::round(share * 1'000) / 10) + " %"; }

double share_of(size_t part, size_t whole) { return whole == 0 ? 0 : double(part) / double(whole); }

void add_run(const json::object& run, kept_report& to) {
  auto rate = double_in(run, "rate", -1);
  std::string program{mcp::string_or(run, "program")};
  auto& row = to.rows[(program.empty() ? "" : program + ": ") + std::string{mcp::string_or(run, "kind")}
                      + (rate < 0 ? "" : " at " + text::number_text(rate))];
  ++row.runs;
  if (double_in(run, "hits", 0) <= 0)
    return;
  ++row.hit;
  auto* survived = run.if_contains("survived");
  row.survived += survived && survived->is_bool() && survived->get_bool() ? 1 : 0;
  auto* verdicts = run.if_contains("verdicts");
  std::set<std::string> done;
  if (verdicts && verdicts->is_array())
    for (auto& one : verdicts->get_array())
      done.emplace(mcp::string_in(one.if_object(), "verdict"));
  for (auto& name : done)
    ++row.verdicts[name];
}

/// The files of a folder, or the one that is named.
std::vector<std::string> files_at(const std::string& place) {
  std::error_code ec;
  if (!fs::is_directory(place, ec))
    return {place};
  std::vector<std::string> out;
  for (fs::directory_iterator each{place, ec}, end; !ec && each != end; each.increment(ec))
    if (each->path().extension() == ".json")
      out.push_back(each->path().string());
  return out;
}

json::object report_doc(const kept_report& one) {
  return {{"file", one.path},       {"date", one.date},         {"plan", one.plan},
          {"command", one.command}, {"survival", one.survival}, {"firstBroken", one.first_broken}};
}

int print_history(const std::vector<std::string>& places, output_form form) {
  std::vector<kept_report> reports;
  for (auto& place : places) {
    auto files = files_at(place);
    for (auto& path : files)
      if (auto report = read_report(path); report.ok())
        reports.push_back(std::move(report.value));
      else if (path == place)
        return complain("faults history: " + report.error.message, exit_wrong_use);
      else
        complain("faults history: left out: " + report.error.message, exit_wrong_use);
  }
  std::stable_sort(reports.begin(), reports.end(), [](auto& a, auto& b) { return a.date < b.date; });
  if (reports.size() > reports_max)
    reports.erase(reports.begin(), reports.end() - static_cast<std::ptrdiff_t>(reports_max));
  json::array out;
  for (auto& one : reports)
    if (form == output_form::json)
      out.push_back(report_doc(one));
    else
      std::cout << report_text(one.date) << "  " << percent_text(one.survival) << "  " << report_text(one.plan)
                << (one.first_broken.empty() ? "" : "  the first that broke: ") << report_text(one.first_broken)
                << "  (" << report_text(one.path) << ")\n";
  if (form == output_form::json)
    print_document(json::object{{"reports", std::move(out)}});
  return EXIT_SUCCESS;
}

/// A number of a kind in two reports.
struct change {
  std::string kind, what; ///< "survival", or the name of a verdict
  double before = 0, after = 0;
  bool is_better() const { return what == "survival" ? after > before : after < before; }
};

std::vector<change> changes_between(const kept_report& before, const kept_report& after) {
  std::vector<change> out;
  auto add = [&out](change one) {
    if (one.before != one.after)
      out.push_back(std::move(one));
  };
  for (auto& [kind, was] : before.rows) {
    auto found = after.rows.find(kind);
    if (found == after.rows.end() || was.hit == 0 || found->second.hit == 0)
      continue; // nothing was shown
    auto& is = found->second;
    add({kind, "survival", share_of(was.survived, was.hit), share_of(is.survived, is.hit)});
    for (auto what : judged_behaviors) {
      std::string name{faults::to_string(what)};
      auto count = [&name](const kept_row& row) {
        auto at = row.verdicts.find(name);
        return at == row.verdicts.end() ? size_t{0} : at->second;
      };
      add({kind, name, share_of(count(was), was.hit), share_of(count(is), is.hit)});
    }
  }
  return out;
}

/// Kinds that only the first of them has shown anything of.
std::vector<std::string> kinds_only_in(const kept_report& one, const kept_report& other) {
  std::vector<std::string> out;
  for (auto& [kind, row] : one.rows)
    if (auto found = other.rows.find(kind); row.hit > 0 && (found == other.rows.end() || found->second.hit == 0))
      out.push_back(kind);
  return out;
}

json::object change_doc(const change& one) {
  return {{"kind", one.kind}, {"what", one.what}, {"before", one.before}, {"after", one.after}};
}

void print_changes(const std::vector<change>& all, const kept_report& before, const kept_report& after) {
  for (auto& one : all)
    std::cout << (one.is_better() ? "better  " : "WORSE   ") << report_text(one.kind) << ": " << one.what << " "
              << percent_text(one.before) << " -> " << percent_text(one.after) << "\n";
  for (auto& kind : kinds_only_in(before, after))
    std::cout << "only in the first   " << report_text(kind) << "\n";
  for (auto& kind : kinds_only_in(after, before))
    std::cout << "only in the second  " << report_text(kind) << "\n";
  std::cout << "survival " << percent_text(before.survival) << " -> " << percent_text(after.survival) << "\n";
}

int print_comparison(const std::string& before_path, const std::string& after_path, output_form form) {
  auto before = read_report(before_path), after = read_report(after_path);
  for (auto* one : {&before, &after})
    if (!one->ok())
      return complain("faults compare: " + one->error.message, exit_wrong_use);
  auto all = changes_between(before.value, after.value);
  bool is_worse = std::any_of(all.begin(), all.end(), [](auto& one) { return !one.is_better(); });
  if (form == output_form::text) {
    print_changes(all, before.value, after.value);
  } else {
    json::array better, worse;
    for (auto& one : all)
      (one.is_better() ? better : worse).push_back(change_doc(one));
    auto names = [](const std::vector<std::string>& kinds) { return json::array(kinds.begin(), kinds.end()); };
    print_document(json::object{{"before", report_doc(before.value)},
                                {"after", report_doc(after.value)},
                                {"better", std::move(better)},
                                {"worse", std::move(worse)},
                                {"onlyBefore", names(kinds_only_in(before.value, after.value))},
                                {"onlyAfter", names(kinds_only_in(after.value, before.value))}});
  }
  return is_worse ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // namespace

msg::outcome<kept_report> read_report(const std::string& path) {
  auto none = [&path](const std::string& why) {
    return msg::fault{msg::errc::invalid_argument,
                      path + " is no report of `faults run` (--out FILE makes one): " + why};
  };
  auto file = config::read_file_text(path, report_bytes_max);
  if (!file.exists)
    return none("there is no such file");
  if (file.error.code != msg::errc::none)
    return std::move(file.error);
  auto parsed = msg::document::parse(file.text);
  if (!parsed.ok())
    return none(parsed.error.message);
  auto* object = parsed.value.value().if_object();
  auto* runs = object ? object->if_contains("runs") : nullptr;
  auto survival = object ? double_in(*object, "survival", -1) : -1;
  if (!runs || !runs->is_array() || survival < 0 || survival > 1)
    return none("it has no runs and no survival from 0 to 1");
  kept_report out;
  out.path = path;
  out.date = mcp::string_or(*object, "date");
  out.plan = mcp::string_or(*object, "plan");
  out.command = mcp::string_or(*object, "command");
  out.first_broken = mcp::string_or(*object, "firstBroken");
  out.survival = survival;
  for (auto& run : runs->get_array())
    if (auto* one = run.if_object())
      add_run(*one, out);
  return out;
}

std::string text_of_now() {
  auto now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32] = {};
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string report_path(const std::string& wanted, const std::string& date) {
  std::error_code ec;
  return !wanted.empty() && fs::is_directory(wanted, ec) ? (fs::path{wanted} / ("faults-" + date + ".json")).string()
                                                         : wanted;
}

report_words::report_words(CLI::App& parent, bool& as_json)
  : history_(parent.add_subcommand("history", "list reports of `faults run --out`: date, plan, survival, what broke "
                                              "first")),
    compare_(parent.add_subcommand("compare", "what got better or worse between two of them; exit code 1 if something "
                                              "got worse")) {
  history_->add_option("reports", places_, "files, or folders of them")->required()->type_name("PATH");
  compare_->add_option("before", before_, "the earlier report")->required()->type_name("FILE");
  compare_->add_option("after", after_, "the later one")->required()->type_name("FILE");
  for (auto* word : {history_, compare_})
    word->add_flag("--json", as_json, "print one JSON document");
}

bool report_words::wanted() const { return history_->parsed() || compare_->parsed(); }

int report_words::run(output_form form) const {
  return history_->parsed() ? print_history(places_, form) : print_comparison(before_, after_, form);
}

} // namespace cli
