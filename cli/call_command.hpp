// `code-executor call`: one call of a tool of a server, with the guards of a program's.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

class call_words {
public:
  call_words(CLI::App& app, bool& as_json);
  call_words(const call_words&) = delete; // the options write into it
  call_words& operator=(const call_words&) = delete;

  bool wanted() const;
  /// The exit code: 0, 1 if the call failed, was refused or was interrupted, 2 if the words or settings are wrong.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, output_form form) const;

private:
  CLI::App* command_;
  std::string server_, tool_, timeout_, faults_;
  std::vector<std::string> arguments_;
};

} // namespace cli
