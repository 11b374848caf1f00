#include "faults/injector.hpp"

#include "proxy/names.hpp"

#include "text/printable.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace faults {

namespace {

/// Of the plan of a run, whatever it says.
constexpr size_t run_plan_own_bytes = 4'096;

/// What other runs would feel: the connection is everybody's, and so is the list of tools.
bool is_felt_by_all(const rule& one) {
  switch (one.what) {
    case kind::disconnect:
    case kind::crash:
    case kind::hang:
    case kind::garbage: // whose words would be told to all as the server's
    case kind::schema_change:
    case kind::tool_gone: return true;
    default: return one.when != moment::call;
  }
}

} // namespace

std::optional<moment> moment_of(std::string_view method) {
  if (method == "initialize" || method == "server/discover")
    return moment::start;
  if (method == "tools/list")
    return moment::list;
  if (method == "tools/call" || method == "resources/read" || method == "resources/list" || method == "prompts/list"
      || method == "prompts/get")
    return moment::call;
  return std::nullopt;
}

plan_reading read_run_plan(const msg::document& text) {
  plan_reading out;
  if (text.text_bytes() > run_plan_bytes_max) {
    out.problem = "it has more than " + std::to_string(run_plan_bytes_max >> 10U) + " KiB";
    return out;
  }
  out = read_plan(text);
  if (out.ok() && out.plan.rules.size() > run_rules_max) {
    out.part = "rules";
    out.problem = "the plan of a run has at most " + std::to_string(run_rules_max) + " rules";
  }
  for (size_t i = 0; i < out.plan.rules.size() && out.ok(); ++i)
    if (out.plan.rules[i].when == moment::model) {
      out.part = "rules[" + std::to_string(i) + "].on";
      out.problem = "questions to models are hit by the plan of the process only (--faults FILE)";
    } else if (is_felt_by_all(out.plan.rules[i])) {
      out.part = "rules[" + std::to_string(i) + "].kind";
      out.problem = std::string{facts_of(out.plan.rules[i].what).name}
                    + " is felt by other runs too, and belongs in the plan of the process (--faults FILE)";
    }
  return out;
}

msg::document report_of(const injector& faults) {
  auto* plan = faults.of_process();
  if (!plan)
    return {};
  boost::json::object injected;
  for (auto& [kind, count] : faults.counts())
    injected.emplace(kind, count);
  return msg::document{
    boost::json::object{{"seed", plan->seed}, {"rules", plan->rules.size()}, {"injected", std::move(injected)}}};
}

injector::injector(std::optional<plan> of_process, std::shared_ptr<trace_writer> trace)
  : process_(of_process ? std::make_shared<decisions>(std::move(*of_process)) : nullptr),
    trace_(std::move(trace)) {
  if (!process_ || !trace_)
    return;
  for (auto& one : process_->of().rules) // another process of the command may have shown it
    if (one.what == kind::injection)
      canaries_.add(one);
}

bool injector::concerns(const mcp::request_subject& about) const {
  return process_ || trace_ || !about.faults.value().is_null();
}

std::shared_ptr<decisions> injector::of_run(const mcp::request_subject& about) {
  auto& found = runs_[about.call.run];
  if (!found.what) {
    found = {std::make_shared<decisions>(read_run_plan(about.faults).plan),
             about.faults.text_bytes() + run_plan_own_bytes};
    run_plans_bytes_ += found.bytes;
  }
  auto out = found.what;
  while (run_plans_bytes_ > run_plans_bytes_max) { // the numbers of runs grow
    run_plans_bytes_ -= runs_.begin()->second.bytes;
    runs_.erase(runs_.begin());
  }
  return out;
}

chosen injector::choose_model(std::string_view provider, std::string_view model) {
  chosen out;
  if (!process_)
    return out;
  out.name = "llm__" + std::string{provider} + std::string{proxy::name_separator} + std::string{model};
  out.by = process_;
  out.what = process_->next(out.name, moment::model);
  auto* told = out.what.told();
  if (!told)
    return out;
  auto kind = facts_of(told->what).name;
  ++counts_[kind];
  spdlog::info("injected: {} into {}, number {}", kind, text::printable(out.name), out.what.number);
  if (trace_)
    trace_->hit(kind);
  return out;
}

std::string injector::watch(std::string_view name, const msg::document& arguments) {
  auto obeyed = canaries_.is_empty() ? std::string{} : canaries_.obeyed_by(name, arguments);
  if (obeyed.empty())
    return obeyed;
  spdlog::info("a call of {} does what an injected text says", text::printable(name));
  if (trace_)
    trace_->obeyed(obeyed);
  return obeyed;
}

chosen injector::choose(std::string_view server, const mcp::request_subject& about, moment when) {
  chosen out;
  if (when == moment::start)
    out.name = proxy::full_name(server, "initialize"); // whichever request it begins with
  else
    out.name = proxy::full_name(server, about.tool.empty() ? about.method : about.tool);
  if (process_) {
    out.by = process_;
    out.what = process_->next(out.name, when);
  }
  if (!about.faults.value().is_null()) {
    auto own = of_run(about);
    auto wanted = own->next(out.name, when); // it counts in any case
    if (!out.what.is_hit()) {
      out.what = wanted;
      out.by = std::move(own);
    }
  }
  if (auto* told = out.what.told())
    ++counts_[facts_of(told->what).name];
  return out;
}

} // namespace faults
