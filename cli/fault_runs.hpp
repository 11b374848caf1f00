// `code-executor faults run`: plays a command, or programs, under each fault of a plan, and reports what survived and
// what was done.
#pragma once

#include "cli/doctor.hpp"
#include "cli/fault_matrix.hpp"
#include "messages/errors.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

class fault_run_words {
public:
  /// Takes what follows `--` out of the words: it is a command, and none of its words is ours. `parent`: `faults`.
  fault_run_words(CLI::App& parent, bool& as_json, int& argc, char** argv);
  fault_run_words(const fault_run_words&) = delete; // the options write into it
  fault_run_words& operator=(const fault_run_words&) = delete;

  bool wanted() const;
  /// The exit code: 0, 1 if less has survived than is required or something was done that may not be, 2 if nothing
  /// could be played.
  int run(output_form form) const;

private:
  /// What is played: words of each, of which the first is a path.
  msg::outcome<std::vector<std::vector<std::string>>> commands() const;
  msg::outcome<fault_report> matrix(const boost::json::array& rules) const;
  std::string shown_command() const;
  int tell(const fault_report& report, output_form form) const;

  CLI::App* command_;
  std::string plan_, junit_, html_, out_;
  std::vector<std::string> kinds_, fail_on_;
  std::vector<double> rates_;
  uint32_t seeds_ = 5, jobs_ = 0, timeout_s_ = 300;
  double required_ = -1;
  std::vector<std::string> words_, programs_;
};

} // namespace cli
