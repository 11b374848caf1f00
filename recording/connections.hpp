// Connections that are recorded, and such as are made of a recording.
#pragma once

#include "mcp/connection.hpp"
#include "messages/errors.hpp"
#include "recording/recorded.hpp"
#include "recording/recorder.hpp"

#include <asio/any_io_executor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace recording {

/// Requests of one connection that have no answer; what is asked besides is not recorded.
inline constexpr size_t open_max = 10'000;

using connection_opener = std::function<msg::outcome<std::shared_ptr<mcp::connection>>(mcp::connection_events)>;

/// What goes over the connection that `open` makes is written down.
msg::outcome<std::shared_ptr<mcp::connection>> open_recorded(std::string server, std::shared_ptr<recorder> to,
                                                             const connection_opener& open,
                                                             mcp::connection_events events);

/// Questions of one connection that were never asked and are told what is nearest: each takes up to 50 ms of a thread.
inline constexpr size_t nearest_told_max = 20;

/// How a recording is played.
struct playing {
  std::shared_ptr<recorded> from;
  bool keeps_pace = false;         ///< answers take as long as they took
  asio::any_io_executor line = {}; ///< parses what is long, and finds what is nearest, on another thread
};

/// What a process records and replays.
struct recordings {
  std::shared_ptr<recorder> to; ///< null: nothing is recorded
  playing from = {};            ///< null: nothing is replayed
  bool calls_servers = false;   ///< what the recording does not have goes to the server
  /// No server is ever connected.
  bool is_alone() const { return from.from && !calls_servers; }
};
/// With all of that put on the connection that `open` makes.
msg::outcome<std::shared_ptr<mcp::connection>> open_connection(const recordings& with, const std::string& server,
                                                               const asio::any_io_executor& executor,
                                                               const connection_opener& open,
                                                               mcp::connection_events events);

/// There is no server: what was never asked is an error that says what is nearest.
std::shared_ptr<mcp::connection> open_replayed(std::string server, playing what, asio::any_io_executor executor,
                                               mcp::connection_events events);
/// What was never asked goes to the server that `open` connects.
msg::outcome<std::shared_ptr<mcp::connection>> open_replayed_or_real(std::string server, playing what,
                                                                     asio::any_io_executor executor,
                                                                     const connection_opener& open,
                                                                     mcp::connection_events events);

} // namespace recording
