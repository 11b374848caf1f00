// `code-executor faults correlate`: a recording with faults, held against what the agent said.
#pragma once

#include "cli/doctor.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

class correlate_words {
public:
  /// `parent`: `faults`.
  correlate_words(CLI::App& parent, bool& as_json);
  correlate_words(const correlate_words&) = delete; // the options write into it
  correlate_words& operator=(const correlate_words&) = delete;

  bool wanted() const;
  /// The exit code: 1 if something was found (of --fail-on), 2 if a file can not be used.
  int run(output_form form) const;

private:
  CLI::App* command_;
  std::string recording_, transcript_;
  std::vector<std::string> fail_on_;
};

} // namespace cli
