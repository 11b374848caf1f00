// The parts of the settings, each read out of its section.
#pragma once

#include "config/settings.hpp"
#include "config/settings_section.hpp"

#include <string>

namespace config {

using section = settings_section;

/// What clients see of us.
void read_clients(section root, client_settings& to);
/// security: what programs may do.
void read_security(section s, security_settings& to);
/// runs, and what security says of them.
void read_runs(section runs, section security, run_settings& to);
void read_servers(section s, server_settings& to);
/// rateLimit, of the root or of security.
void read_rates(section root, section security, rate_settings& to);
void read_audit(section audit, section security, audit_settings& to);
void read_health(section s, health_settings& to);
/// server: what is served over HTTP.
void read_http(section s, http_settings& to);
void read_process(section s, process_settings& to);
void read_log(section s, log_settings& to);
void read_sampling(section s, sampling_settings& to);
void read_sandbox(section s, sandbox_settings& to);
void read_executors(section s, settings& to);
/// Variables of the tool run_python.
void read_bridge(section root, bridge_settings& to);
void read_sessions(section s, session_settings& to);
void read_artifacts(section s, output_settings& to);
void read_recording(section s, recording_settings& to);
/// faults, and what security says of them.
void read_faults(section root, section security, fault_settings& to);

} // namespace config
