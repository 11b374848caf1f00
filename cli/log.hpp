// The log: on stderr, for people or for machines.
#pragma once

#include "config/settings.hpp"

namespace cli {

/// Before the settings are known: text, from `info` on.
void start_log();
/// As the settings want it.
void use_log_settings(const config::log_settings& settings);

} // namespace cli
