// `code-executor trust --server`: approves the entry of a server in a file of the project, or shows what would be run.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/servers.hpp"

#include <cstdint>
#include <string>

namespace cli {

enum class trust_action : uint8_t { show, approve };

/// Of several entries of that name, the first in order of precedence that waits for approval. At a terminal
/// (`is_attended`) it is shown, and approved only after a yes. The exit code: 0 when it is approved, needs no approval,
/// or is shown; 1 when the answer is no, or the approval can not be written; 2 when there is no such server.
int trust_entry(const config::environment& environment, const config::settings& settings, const std::string& server,
                trust_action what, output_form form);

/// All that is approved with it, on stdout.
void print_entry(const msg::server_entry& entry);

} // namespace cli
