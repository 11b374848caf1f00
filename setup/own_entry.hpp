// A server of a client as our own file has it, which means the same without that client.
#pragma once

#include "messages/errors.hpp"
#include "messages/servers.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace setup {

/// The path of our own file of servers, below the folder of configurations, and the keys that lead to its list.
inline constexpr const char* own_servers_path = "code-executor/servers.json";
inline constexpr const char* own_servers_container = "mcpServers";

/// The entry in our spelling, which is Claude Code's. The fault says why it has to stay in its client: it is switched
/// off there, uses what only that client knows, or would not mean the same. Never quotes a value.
msg::outcome<boost::json::object> own_entry(const msg::server_entry& entry);

} // namespace setup
