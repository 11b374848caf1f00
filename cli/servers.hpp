// `code-executor servers`: which MCP servers are configured, by which files, and what is wrong with them. Starts
// nothing.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

namespace cli {

/// Prints names, files and complaints; never arguments, variables or headers. The exit code: 0.
int list_servers(const config::environment& environment, const config::settings& settings,
                 const config::variable_lookup& variables, output_form form);

} // namespace cli
