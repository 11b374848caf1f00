// What an entry means depends on the folder that it is used in, for some.
#pragma once

#include "config/server_list.hpp"
#include "messages/servers.hpp"

#include <string>

namespace config {

/// The project that an entry of that source is of, or in whose folder something that it names is found: what its server
/// says there says nothing of the server that an equal entry starts elsewhere. Empty: it is the same everywhere. Looks
/// at a few files.
std::string scope_of(const server_source& source, const msg::server_entry& entry, const environment& env);

} // namespace config
