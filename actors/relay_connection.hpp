// How a relay gets a connection to its server.
#pragma once

#include "mcp/connection.hpp"
#include "messages/actors.hpp"
#include "messages/errors.hpp"
#include "messages/servers.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace actors {

/// Opens connection number `generation` of the server and makes it report to `owner`. The fault says why there is none.
using relay_connection_factory = std::function<msg::outcome<std::shared_ptr<mcp::connection>>(
  const msg::server_entry&, msg::relay_session_actor owner, uint64_t generation)>;

} // namespace actors
