// SHA-256 of server entries.
#pragma once

#include "messages/servers.hpp"

#include <string>

namespace catalog {

/// Of what a server is started with, or reached by: name, command, arguments, environment (in any order; also its file
/// and the variables of ours), folder, url and headers, variables not expanded, and how they would be. An entry that
/// was edited has another one; where it is written, whether it is disabled, and how it may be used, does not count.
std::string digest_of(const msg::server_entry& entry);

} // namespace catalog
