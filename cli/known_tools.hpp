// What the catalog knows of the tools of the configured servers, for commands that start nothing.
#pragma once

#include "config/settings.hpp"
#include "messages/servers.hpp"
#include "proxy/discovery.hpp"

#include <vector>

namespace cli {

/// Opened by the first question. `entries` may be of any trust.
proxy::discovery known_tools(const config::settings& settings, const std::vector<msg::server_entry>& entries);

} // namespace cli
