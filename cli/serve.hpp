// `code-executor serve`: an MCP server on stdin and stdout, until stdin ends or a signal comes.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"

namespace cli {

/// The exit code: 0 after an orderly end, 2 when a setting is wrong.
int serve(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables);

} // namespace cli
