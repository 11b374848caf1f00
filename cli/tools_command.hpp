// `code-executor tools`: the tools of the configured servers, found as programs find them.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <cstdint>
#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

class tools_words {
public:
  tools_words(CLI::App& app, bool& as_json);
  tools_words(const tools_words&) = delete; // the options write into it
  tools_words& operator=(const tools_words&) = delete;

  bool wanted() const;
  /// The exit code: 1 if the catalog could not be asked, there is no such server, or it could not be started.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, output_form form) const;

private:
  CLI::App* command_;
  std::string query_, server_, detail_ = "summary";
  uint32_t limit_ = 0;
};

} // namespace cli
