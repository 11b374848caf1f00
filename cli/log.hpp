// The log: on stderr, for people or for machines.
#pragma once

#include "cli/stderr_writer.hpp"
#include "config/settings.hpp"

#include <memory>

namespace cli {

/// Before the settings are known: text, from `info` on.
void start_log();
/// As the settings want it.
void use_log_settings(const config::log_settings& settings);

/// From now on a line is written on another thread, as long as what comes back is kept: a client that does not read
/// stderr stops no other thread.
std::shared_ptr<stderr_writer> log_in_background(const config::log_settings& settings);

} // namespace cli
