// `code-executor verify`: a recording against the servers as they are.
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

class verify_words {
public:
  verify_words(CLI::App& app, bool& as_json);
  verify_words(const verify_words&) = delete; // the options write into it
  verify_words& operator=(const verify_words&) = delete;

  bool wanted() const;
  /// The exit code: 0 if all answers are as they were, 1 if some are not, 2 if the file is no recording.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, output_form form) const;

private:
  CLI::App* command_;
  std::string file_;
  std::vector<std::string> only_;
  bool with_writes_ = false;
};

} // namespace cli
