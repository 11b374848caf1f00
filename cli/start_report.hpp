// What the log says when a server begins.
#pragma once

#include "actors/bridge/factories.hpp"
#include "config/server_list.hpp"
#include "config/settings.hpp"

namespace cli {

/// Which files count, what is wrong with them, and what this machine lacks.
void report_start(const config::settings& settings, const config::server_list& servers,
                  const bridge::dependencies& dependencies);

} // namespace cli
