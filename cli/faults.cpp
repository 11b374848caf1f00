#include "cli/faults.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/fault_plan.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "faults/decisions.hpp"
#include "faults/kind.hpp"
#include "faults/plan.hpp"
#include "faults/presets.hpp"
#include "text/numbers.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdlib>
#include <iostream>
#include <utility>

namespace cli {

namespace json = boost::json;

namespace {

/// Calls of a tool that `faults check --tool` looks at.
constexpr uint64_t calls_looked_at = 100;

json::object kind_doc(const faults::kind_facts& facts) {
  return {{"kind", facts.name},
          {"does", facts.summary},
          {"imitates", facts.imitates},
          {"keys", facts.keys},
          {"on", facts.moments}};
}

int print_kinds(output_form form) {
  json::array kinds, presets;
  for (auto& facts : faults::all_kinds())
    if (form == output_form::json)
      kinds.push_back(kind_doc(facts));
    else
      std::cout << facts.name << "\n    " << facts.summary << "\n    Like: " << facts.imitates
                << (facts.keys.empty() ? "" : "\n    Takes: ") << facts.keys << "\n    On: " << facts.moments << "\n";
  for (auto name : faults::preset_names())
    if (form == output_form::json)
      presets.push_back(json::object{{"preset", name}, {"does", faults::preset_summary(name)}});
    else
      std::cout << "preset " << name << "\n    " << faults::preset_summary(name) << "\n";
  if (form == output_form::json)
    print_document(json::object{{"kinds", std::move(kinds)}, {"presets", std::move(presets)}});
  return EXIT_SUCCESS;
}

/// Which calls of those that match.
std::string selection_of(const faults::rule& one) {
  auto text = one.nth > 0             ? "number " + std::to_string(one.nth)
              : one.every > 0         ? "one in " + std::to_string(one.every)
              : one.probability < 1.0 ? text::number_text(one.probability * 100) + " of 100"
                                      : std::string{"all"};
  if (one.after > 0)
    text += ", after the first " + std::to_string(one.after);
  if (one.times > 0)
    text += ", at most " + std::to_string(one.times) + " of each tool";
  return text;
}

/// The calls of a tool that the plan hits.
json::array hits_of(const faults::plan& plan, const std::string& tool) {
  json::array hits;
  faults::decisions what{plan};
  for (uint64_t i = 0; i < calls_looked_at; ++i) {
    auto next = what.next(tool, tool.starts_with("llm__") ? faults::moment::model : faults::moment::call);
    if (auto* told = next.told())
      hits.push_back(json::object{{"call", next.number}, {"kind", faults::facts_of(told->what).name}});
  }
  return hits;
}

void print_rules(const faults::plan& plan) {
  std::cout << "seed " << plan.seed << ", " << plan.rules.size() << (plan.rules.size() == 1 ? " rule" : " rules")
            << "\n";
  for (size_t i = 0; i < plan.rules.size(); ++i) {
    auto& one = plan.rules[i];
    auto& facts = faults::facts_of(one.what);
    std::cout << i + 1 << ". " << facts.name << " on " << faults::to_string(one.when) << "s of "
              << text::printable(joined(one.match)) << ": " << selection_of(one) << "\n   " << facts.summary << "\n";
  }
}

void print_hits(const json::array& hits, const std::string& tool) {
  std::cout << "Of the first " << calls_looked_at << " calls of " << text::printable(tool) << " " << hits.size()
            << " are hit" << (hits.empty() ? ".\n" : ":\n");
  for (auto& hit : hits)
    std::cout << "   " << hit.at("call").to_number<uint64_t>() << "  " << std::string_view{hit.at("kind").get_string()}
              << "\n";
}

int print_plan(const std::string& path, const std::string& tool, output_form form) {
  auto plan = read_plan_file(path);
  if (!plan.ok())
    return complain("faults: " + plan.error.message, exit_wrong_settings);
  auto hits = tool.empty() ? json::array{} : hits_of(plan.value, tool);
  if (form == output_form::text) {
    print_rules(plan.value);
    if (!tool.empty())
      print_hits(hits, tool);
    return EXIT_SUCCESS;
  }
  json::array rules;
  for (auto& one : plan.value.rules)
    rules.push_back(json::object{{"match", json::array(one.match.begin(), one.match.end())},
                                 {"kind", faults::facts_of(one.what).name},
                                 {"on", faults::to_string(one.when)},
                                 {"hits", selection_of(one)}});
  json::object out{{"seed", plan.value.seed}, {"rules", std::move(rules)}};
  if (!tool.empty())
    out.emplace("of", json::object{{"tool", tool}, {"calls", calls_looked_at}, {"hits", std::move(hits)}});
  print_document(out);
  return EXIT_SUCCESS;
}

} // namespace

fault_words::fault_words(CLI::App& app, bool& as_json, int& argc, char** argv)
  : command_(app.add_subcommand("faults", "faults that are injected on purpose, between this program and the servers")),
    check_(command_->add_subcommand("check", "is a plan right, and what would it do? Exit code 2 if it is wrong")),
    list_(command_->add_subcommand("list", "the kinds of faults, what they take, and the presets")),
    run_(*command_, as_json, argc, argv),
    correlate_(*command_, as_json),
    reports_(*command_, as_json) {
  command_->require_subcommand(1);
  check_->add_option("plan", plan_, "path of the plan")->required();
  check_->add_option("--tool", tool_, "which of the first 100 calls of this tool are hit (mcp__server__tool)");
  for (auto* word : {check_, list_})
    word->add_flag("--json", as_json, "print one JSON document");
}

bool fault_words::wanted() const { return command_->parsed(); }

int fault_words::run(output_form form) const {
  if (run_.wanted())
    return run_.run(form);
  if (correlate_.wanted())
    return correlate_.run(form);
  if (reports_.wanted())
    return reports_.run(form);
  return list_->parsed() ? print_kinds(form) : print_plan(plan_, tool_, form);
}

} // namespace cli
