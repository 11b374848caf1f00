// `code-executor login` and `logout`: who we are at a server that wants to know (OAuth 2.1).
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <string>

namespace CLI {
class App;
}

namespace cli {

/// The words `login SERVER [--no-browser]` and `logout SERVER`.
class login_words {
public:
  login_words(CLI::App& app, bool& as_json);
  login_words(const login_words&) = delete; // the options write into it
  login_words& operator=(const login_words&) = delete;

  bool wanted() const;
  /// The exit code: 0 when it was done; 1 when it was not; 2 when there is no such server, or none to log in at.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, output_form form) const;

private:
  CLI::App *login_, *logout_;
  std::string server_;
  bool has_browser_ = true;
};

} // namespace cli
