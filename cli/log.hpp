// The log of the process: to stderr, because stdout belongs to the protocol.
#pragma once

#include "config/settings.hpp"

#include <string>

namespace cli {

/// Before the settings are known. An unknown level is told, and `info` is used.
void log_to_stderr(const std::string& level);

/// As the settings say. JSON: one object a line with `timestamp`, `level` and `message`.
void apply(const config::log_settings& log);

} // namespace cli
