// `code-executor serve`: an MCP server on stdin and stdout, until stdin ends or a signal comes.
#pragma once

#include "config/environment.hpp"

namespace cli {

/// The exit code: 0 after an orderly end.
int serve(const config::environment& environment, const config::variable_lookup& variables);

} // namespace cli
