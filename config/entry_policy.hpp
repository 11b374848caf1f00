// What an entry says of how its server may be used: which tools, how often, how long.
#pragma once

#include "config/clients.hpp"
#include "config/entry_fields.hpp"
#include "messages/servers.hpp"

namespace config {

/// Keys of ours: includeTools, excludeTools, rateLimit, timeoutMs, maxConcurrent, idleTimeout, eager; and the client's
/// own for tools and for the time of a call. One that is wrong breaks the entry: a limit is never dropped in silence.
void read_policy(entry_fields& fields, const client_file& client, msg::server_entry& to);

} // namespace config
