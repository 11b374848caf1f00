// What both directions of a connection with faults share.
#pragma once

#include "faults/faulty_connection.hpp"
#include "faults/timer.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace faults {

class faulty_line : public std::enable_shared_from_this<faulty_line> {
public:
  faulty_line(faulty_server what, mcp::connection_events of_owner)
    : server(std::move(what)),
      events(std::move(of_owner)),
      hang(server.executor) {}

  /// The process, or the connection, ends in the middle of everything.
  void cut();
  void trace_begin(const chosen& by, const msg::document& arguments, uint64_t key);
  /// The text of that rule is in the answer to that call.
  void trace_canary(const rule& by, uint64_t key);
  /// A request is hit: what becomes of it is noted once it is known.
  void remember(const msg::document& arguments, uint64_t key);
  /// The answer as its owner gets it; a text: what is no message; null: there is none.
  void note(const chosen& by, uint64_t key, const msg::document& answer);
  /// Of any message of the server, as its owner gets it.
  void trace_end(const msg::document& message);

  faulty_server server;
  mcp::connection_events events; ///< of the owner
  std::weak_ptr<mcp::connection> inner;
  delay_timer hang; ///< ends when the server goes on; nothing is read until then
  bool hangs = false, is_cut = false, is_over = false;

private:
  std::map<uint64_t, uint64_t> traced_;     ///< numbers in the trace, by the keys of requests
  std::map<uint64_t, msg::document> noted_; ///< arguments of what is hit, likewise
};

} // namespace faults
