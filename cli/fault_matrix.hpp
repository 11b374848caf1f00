// What `faults run` plays and what came of it: a command, once for each kind of fault, rate and seed.
#pragma once

#include "faults/verdicts.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// Runs of the command in one matrix.
inline constexpr size_t fault_runs_max = 10'000;
/// Of what a run printed, what the report has: its end.
inline constexpr size_t fault_output_bytes_max = 2'000;

/// One run of the command.
struct fault_run {
  std::string program; ///< of several that are played: its file; empty: there is one command
  std::string kind;    ///< or all_kinds_name
  double rate = -1;    ///< below 0: as the plan has it
  uint64_t seed = 0;

  // ---- what came of it
  bool survived = false;
  std::string end; ///< how it ended: "exit code 1"
  uint64_t took_ms = 0;
  std::string output; ///< the end of what it printed on stderr, else on stdout
  std::vector<faults::traced_call> calls;
  std::vector<faults::verdict> verdicts;
  std::optional<uint64_t> recovery_ms;
  uint64_t hits = 0;   ///< faults that were injected: without any it has shown nothing
  uint64_t tokens = 0; ///< of models that programs have asked; 0: none, or nobody told

  std::string name() const;
  /// Of the row that it belongs to: program, kind and rate.
  std::string row_name() const;
};

/// The whole plan, in the place of one of its kinds.
inline constexpr const char* all_kinds_name = "all";

struct fault_report {
  std::string date; ///< when it was begun, UTC
  std::string plan; ///< its path, as it was given
  std::string command;
  std::vector<fault_run> runs;

  /// Of those that were hit.
  size_t survived() const;
  size_t hit() const;
  /// A share of those that were hit; of none, nothing has survived.
  double survival() const { return hit() == 0 ? 0 : double(survived()) / double(hit()); }
  /// How often something was done, in all runs.
  size_t count(faults::behavior what) const;
  /// Texts that told their reader to call something, in all runs; count(obeyed) of them were.
  size_t injected_texts() const;
  /// Of all runs.
  uint64_t tokens() const;
  /// The first that failed; null: none has.
  const fault_run* first_broken() const;
};

std::string as_text(const fault_report& report);
boost::json::object as_document(const fault_report& report);
/// For continuous integration.
std::string as_junit(const fault_report& report);
/// One file that needs no other.
std::string as_html(const fault_report& report);

} // namespace cli
