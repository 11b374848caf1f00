// `code-executor config`: our own settings, looked at without starting anything.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"

namespace cli {

enum class config_action {
  check,  ///< are they right?
  show,   ///< those in effect, and where each comes from
  path,   ///< which file is used, and where it is looked for
  schema, ///< JSON Schema of the file, for editors
};

/// Prints on stdout; complaints go to stderr. The exit code: 0, or 2 if the settings are wrong.
int config_command(config_action action, const config::environment& environment,
                   const config::variable_lookup& variables, output_form form);

} // namespace cli
