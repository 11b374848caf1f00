// `code-executor index`: starts servers, reads their tools into the catalog, and stops them again.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <string>
#include <vector>

namespace cli {

/// Without names: all that are configured. The exit code: 0 when the tools of all of them are in the catalog, 1 when
/// some are not, 2 when a name is not configured.
int index_servers(const config::environment& environment, const config::settings& settings,
                  const config::variable_lookup& variables, const std::vector<std::string>& names, output_form form);

} // namespace cli
