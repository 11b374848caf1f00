// The sections of the settings, each read into its part of them.
#pragma once

#include "config/settings.hpp"
#include "config/settings_reader.hpp"

#include <string>

namespace config {

using section = settings_reader::section;

/// security: what programs may do.
void read_security(section s, settings_reader& reader, const environment& env, const variable_lookup& variable, security_settings& to);
/// runs, and what security says of them.
void read_runs(section runs, section security, settings_reader& reader, run_settings& to);
void read_servers(section s, server_settings& to);
/// rateLimit, of the root or of security.
void read_rates(section root, section security, settings_reader& reader, rate_settings& to);
void read_audit(section audit, section security, settings_reader& reader, audit_settings& to);
void read_health(section s, health_settings& to);
void read_log(section s, log_settings& to);
void read_sandbox(section s, settings_reader& reader, sandbox_settings& to);
void read_executors(section s, settings& to);
/// Variables of the tool run_python.
void read_bridge(section root, settings_reader& reader, bridge_settings& to);

} // namespace config
