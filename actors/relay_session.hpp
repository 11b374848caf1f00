// One server, as it is, for one client: the process or connection, and what goes to and fro. What that is, mcp/relay
// knows.
#pragma once

#include "actors/child/non_protocol_lines.hpp"
#include "actors/client_wire.hpp"
#include "actors/relay_connection.hpp"
#include "actors/reply_promise.hpp"
#include "mcp/log_allowance.hpp"
#include "mcp/relay/relay.hpp"
#include "messages/actors.hpp"
#include "messages/servers.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actors {

struct relay_session_options : client_wire {
  msg::server_entry server;
  relay_connection_factory connect;
  mcp::relay::clientele clients = mcp::relay::clientele::one;
  std::chrono::milliseconds parked_wait = mcp::parked_request_max; ///< see mcp::relay::relay_callbacks
  /// The server has ended, and the client can not go on: its connection ends with the session. May be empty.
  std::function<void(const std::string& why)> over;
  std::function<const http::headers*(mcp::stream_number)> said_headers; ///< the same
  std::function<void()> retire; ///< see mcp::relay::relay_callbacks; may be empty
};

class relay_session_state {
public:
  static inline const char* name = "relay_session";

  explicit relay_session_state(msg::relay_session_actor::pointer self) : self_(self) {}
  relay_session_state(const relay_session_state&) = delete;
  relay_session_state& operator=(const relay_session_state&) = delete;
  /// Its server ends with it.
  ~relay_session_state();
  msg::relay_session_actor::behavior_type make_behavior(relay_session_options options);

private:
  mcp::relay::relay_callbacks callbacks();
  void connect();
  void closed(uint64_t generation, const msg::fault& why);
  void tick(uint64_t generation, mcp::relay::timer which);
  void take_line(const std::string& line);
  void log(const std::string& text);
  caf::result<bool> stop();
  void end(const std::string& why);

  msg::relay_session_actor::pointer self_;
  relay_session_options options_;
  std::optional<mcp::relay::relay> relay_;
  uint64_t generation_ = 0; ///< of the connection; others are old
  bool has_connection_ = false;
  bool is_stopping_ = false;
  child::non_protocol_lines lines_;
  mcp::log_allowance allowance_;
  std::vector<reply_promise<bool>> want_stop_; ///< answered when the server has ended
};

msg::relay_session_actor::behavior_type
relay_session(msg::relay_session_actor::stateful_pointer<relay_session_state> self, relay_session_options options);

} // namespace actors
