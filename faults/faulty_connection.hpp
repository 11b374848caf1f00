// A connection to a server on which faults are injected: what goes to it and what comes from it passes through here,
// whatever carries it.
#pragma once

#include "faults/injector.hpp"
#include "mcp/connection.hpp"
#include "messages/errors.hpp"
#include "messages/faults.hpp"

#include <asio/any_io_executor.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace faults {

/// Bytes of answers of one connection that come later than they could; what comes besides makes the reader wait.
inline constexpr size_t delayed_bytes_max = size_t{64} << 20;
/// Requests of one connection whose answers are looked for, the latest; and of a server that hangs, those that wait for
/// it: others find the queue full.
inline constexpr size_t watched_max = 10'000;

struct faulty_server {
  std::string name;
  asio::any_io_executor executor;
  std::shared_ptr<injector> faults; ///< never null
  /// A rule has hit a call; may be empty.
  std::function<void(msg::injected_fault)> told;
  /// What came of it, for a recording; may be empty. `mask` takes out the secrets of the server, on any thread; empty:
  /// there is none.
  std::function<void(boost::json::object fault, mcp::masking mask)> noted = {};
  asio::any_io_executor worker = {}; ///< where large answers are changed; none: where they come
};

/// Opens the connection that faults are put on.
using connection_opener = std::function<msg::outcome<std::shared_ptr<mcp::connection>>(mcp::connection_events)>;

msg::outcome<std::shared_ptr<mcp::connection>> open_with_faults(faulty_server server, const connection_opener& open,
                                                                mcp::connection_events events);

} // namespace faults
