// `code-executor run`: one run of a program, with the guards of a client's.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cli {

class run_words {
public:
  run_words(CLI::App& app, bool& as_json);
  run_words(const run_words&) = delete; // the options write into it
  run_words& operator=(const run_words&) = delete;

  bool wanted() const;
  /// The exit code: 0, 1 if the program failed, was refused or was interrupted, 2 if the words or settings are wrong.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, output_form form) const;

private:
  msg::outcome<msg::language> language() const;
  msg::outcome<boost::json::object> arguments(const config::settings& settings, msg::language lang) const;

  CLI::App* command_;
  CLI::Option *code_option_, *file_option_;
  std::string file_, code_, timeout_, faults_;
  std::vector<std::string> allow_, read_, write_, net_;
  bool is_python_ = false, is_typescript_ = false, has_no_tools_ = false, checks_types_ = false;
};

} // namespace cli
