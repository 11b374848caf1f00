// What a session does while there is no memory left (process.dataMb): what is large is not done, and all else goes on.
// An exception that leaves a handler ends its actor (CAF), and the session of the client on stdin takes the server
// along.
#pragma once

#include "mcp/server_protocol.hpp"

#include <spdlog/spdlog.h>

#include <new>

namespace client {

/// `what`: as the log has it: "there is no memory left to ...".
template <class Do>
void try_to(const char* what, const Do& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    spdlog::warn("there is no memory left to {} (process.dataMb)", what);
  }
}

/// Of a request: without memory for it, it is answered with that, and all others go on.
template <class Do>
void work_for(mcp::server_protocol& protocol, mcp::request_number number, const Do& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    spdlog::warn("there is no memory left for a request of the client (process.dataMb)");
    protocol.give_up(number);
  }
}

} // namespace client
