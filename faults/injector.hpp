// The plans that are in force in this process: that of the process, and those of runs that have one of their own.
#pragma once

#include "faults/canaries.hpp"
#include "faults/changed_tools.hpp"
#include "faults/decisions.hpp"
#include "faults/plan.hpp"
#include "faults/trace.hpp"
#include "mcp/request_labels.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace faults {

/// What happens to one request. Keeps alive what it points into.
struct chosen {
  decision what;
  std::string name; ///< whole, of what was asked for
  std::shared_ptr<const decisions> by;
};

/// What a request is held against; nothing: it is never hit.
std::optional<moment> moment_of(std::string_view method);

/// Of a plan of a run: it comes from a client, and stays for as long as the run.
inline constexpr size_t run_plan_bytes_max = 64u << 10, run_rules_max = 100;
/// What is wrong with a plan of a run: it may hit its own calls, and nothing that other runs would see. Empty: nothing.
plan_reading read_run_plan(const msg::document& text);

class injector;
/// `{seed, rules, injected: {kind: number}}`, of the plan of the process; null: there is none.
msg::document report_of(const injector& faults);

/// Of one process.
class injector {
public:
  /// Bytes of text of the plans of runs that are kept, about; the oldest go first, and begin to count anew.
  static constexpr size_t run_plans_bytes_max = size_t{4} << 20;

  /// Nothing: the process has no plan.
  explicit injector(std::optional<plan> of_process, std::shared_ptr<trace_writer> trace = nullptr);

  bool is_on() const { return process_ != nullptr; }
  /// Null: there is none.
  const plan* of_process() const { return process_ ? &process_->of() : nullptr; }
  /// Whether a request could be hit at all; costs nothing where there is no plan.
  bool concerns(const mcp::request_subject& about) const;
  /// Where all calls are told; null: nowhere.
  trace_writer* trace() const { return trace_.get(); }
  /// The plan of the process counts first; the run's own where that does nothing.
  chosen choose(std::string_view server, const mcp::request_subject& about, moment when);
  /// Of a question to a model; only the plan of the process counts. The provider as settings call it.
  chosen choose_model(std::string_view provider, std::string_view model);
  /// The text of that rule is about to be read.
  void planted(const rule& by) { canaries_.add(by); }
  /// Whether there is any such text.
  bool has_planted() const { return !canaries_.is_empty(); }
  /// A call that somebody wants, whether or not there is such a tool: does it obey an injected text?
  /// The canary; empty: it does not.
  std::string watch(std::string_view name, const msg::document& arguments);
  /// Of that server. It lives as long as this does.
  changed_tools& tools_of(const std::string& server) { return changed_[server]; }
  /// How often each kind was injected, by its name.
  const std::map<std::string_view, uint64_t>& counts() const { return counts_; }

private:
  std::shared_ptr<decisions> of_run(const mcp::request_subject& about);

  std::shared_ptr<decisions> process_;
  std::shared_ptr<trace_writer> trace_;
  struct run_plan {
    std::shared_ptr<decisions> what;
    size_t bytes = 0;
  };
  std::map<uint64_t, run_plan> runs_;
  size_t run_plans_bytes_ = 0;
  std::map<std::string, changed_tools> changed_;
  std::map<std::string_view, uint64_t> counts_;
  canaries canaries_;
};

} // namespace faults
