// `code-executor profile`: what each configured server costs in tokens, and what of it is used.
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

class profile_words {
public:
  profile_words(CLI::App& app, bool& as_json);
  profile_words(const profile_words&) = delete; // the options write into it
  profile_words& operator=(const profile_words&) = delete;

  bool wanted() const;
  /// The exit code: 1 if the tools of a server could not be read.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, output_form form) const;

private:
  CLI::App* command_;
  std::vector<std::string> names_;
};

} // namespace cli
