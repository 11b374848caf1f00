// `code-executor faults`: what can be injected, and what a plan would do.
#pragma once

#include "cli/doctor.hpp"
#include "cli/fault_correlate.hpp"
#include "cli/fault_reports.hpp"
#include "cli/fault_runs.hpp"

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

class fault_words {
public:
  /// See fault_run_words for argc and argv.
  fault_words(CLI::App& app, bool& as_json, int& argc, char** argv);
  fault_words(const fault_words&) = delete; // the options write into it
  fault_words& operator=(const fault_words&) = delete;

  bool wanted() const;
  /// The exit code: 2 for a plan that is wrong.
  int run(output_form form) const;

private:
  CLI::App *command_, *check_, *list_;
  std::string plan_, tool_;
  fault_run_words run_;
  correlate_words correlate_;
  report_words reports_;
};

} // namespace cli
