// `code-executor token`: who may use this server over HTTP.
#pragma once

#include "cli/doctor.hpp"
#include "config/settings.hpp"

#include <string>

namespace CLI {
class App;
}

namespace cli {

/// The words `token new NAME`, `token list` and `token revoke NAME`.
class token_words {
public:
  token_words(CLI::App& app, bool& as_json);
  token_words(const token_words&) = delete; // the options write into it
  token_words& operator=(const token_words&) = delete;

  bool wanted() const;
  /// The exit code: 0 when it was done; 1 when it could not be, or there is no such token; 2 when the name is wrong. A
  /// new token is the only thing on stdout.
  int run(const config::settings& settings, output_form form) const;

private:
  CLI::App *command_, *make_, *list_, *revoke_;
  std::string name_;
};

} // namespace cli
