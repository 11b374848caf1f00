// `code-executor sync-wrappers` and `code-executor types`: files by which an editor completes and checks programs.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

class editor_words {
public:
  editor_words(CLI::App& app, bool& as_json);
  editor_words(const editor_words&) = delete; // the options write into it
  editor_words& operator=(const editor_words&) = delete;

  bool wanted() const;
  /// The exit code: 1 if a file could not be written, one that is not ours is in the way, or the tools of a server
  /// could not be read.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, output_form form) const;

private:
  CLI::App *wrappers_, *types_;
  std::string folder_;
  bool only_looks_ = false, reads_tools_ = false;
};

} // namespace cli
