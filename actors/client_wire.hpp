// How a session sends to its client, whatever carries that.
#pragma once

#include "mcp/outgoing.hpp"

#include <cstddef>
#include <functional>

namespace actors {

struct client_wire {
  std::function<void(mcp::outgoing)> send;
  std::function<size_t()> room;  ///< bytes that may wait to be read by the client besides; empty: any number
  std::function<bool()> is_read; ///< false: what it can do without is not sent; empty: all is
};

} // namespace actors
