// One MCP server: starts its process when a caller needs it, keeps its calls apart, starts it again after a failure.
// What it does when is decided by the classes in actors/child/.
#pragma once

#include "actors/awaited_answer.hpp"
#include "actors/background.hpp"
#include "actors/child/asked_logins.hpp"
#include "actors/child/call_intake.hpp"
#include "actors/child/calls_in_flight.hpp"
#include "actors/child/idle_clock.hpp"
#include "actors/child/known_tools.hpp"
#include "actors/child/lifecycle.hpp"
#include "actors/child/list_refresh.hpp"
#include "actors/child/opening_policy.hpp"
#include "actors/child/page_reading.hpp"
#include "actors/child/restart_policy.hpp"
#include "actors/child/server_limits.hpp"
#include "actors/child/server_link.hpp"
#include "actors/child/timer.hpp"
#include "actors/child/tool_review.hpp"
#include "actors/server_reports.hpp"
#include "mcp/connection.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace actors {

/// Opens connection number `generation` of a server and makes it report to `owner`. The fault says why there is none.
using connection_factory = std::function<msg::outcome<std::shared_ptr<mcp::connection>>(
  const msg::server_entry&, msg::child_server_actor owner, uint64_t generation)>;

using child_limits = child::server_limits;

struct child_server_options {
  connection_factory connect;
  background_work offload;            ///< checks and reading of what is large
  msg::connector_actor connector;     ///< hears of new tool lists, and whether it runs; may be null
  uint64_t jitter_seed = 0;           ///< the back-off is drawn from [1/2, 1] of its full length
  child_limits limits{};              ///< where its entry does not say otherwise
  msg::audit_log_actor audit{};       ///< hears of new states; null: no record does
  bool calls_wait_for_review = false; ///< no call leaves between a new list and what the connector says of it
  child::era_memory eras{};           ///< which servers understand `server/discover`
  msg::client_abilities abilities{};  ///< what clients can be asked, as far as any has said
  child::login_factory log_in{};      ///< null: nobody is asked to log in
};

/// Of one entry.
class child_server_behavior {
public:
  using self_pointer = msg::child_server_actor::pointer;
  child_server_behavior(self_pointer self, msg::server_entry entry, child_server_options options);
  child_server_behavior(const child_server_behavior&) = delete;
  child_server_behavior& operator=(const child_server_behavior&) = delete;
  msg::child_server_actor::behavior_type make();

private:
  using call_answer = msg::outcome<msg::tool_result>;

  // ---- messages
  caf::result<call_answer> take_call(msg::tool_call& call);
  caf::result<msg::outcome<msg::listed_tools>> give_tools();
  caf::result<bool> stop_if_idle();
  caf::result<bool> stop();
  caf::result<bool> received(uint64_t connection, const msg::document& message, uint64_t during);
  void closed(uint64_t connection, const msg::fault& reason);
  void tick(child::timer which);

  // ---- starting and ending
  msg::fault ensure_started();
  bool waits_for_restart(const msg::tool_call& call);
  void start_again();
  void connect();
  void listed(msg::outcome<msg::listed_tools> result);
  void become_ready();
  void fail_start(const msg::fault& why);
  void end_handshake(child::timer which);
  void lost(const msg::fault& reason);
  bool is_needed() const { return calls_.open_calls() > 0 || listed_.is_awaited() || refresh_.has_waiting(); }
  void rest_if_idle();
  void rest();
  caf::result<bool> when_stopped();
  void fail_waiting(const msg::fault& why);
  void end(const caf::error& reason);

  // ---- its tools
  void tell_tools();
  void reviewed(uint64_t list, msg::outcome<std::vector<std::string>> held);

  // ---- to and from others
  child::link_events events_of_link();
  child::flight_requests requests_of_calls();
  void tell_state() { reports_.state(life_, restarts_, now()); }
  void set_timer(child::timer which, std::chrono::milliseconds after) {
    self_->delayed_send(self_, after, msg::tick_atom::value, life_.connection(), static_cast<uint8_t>(which));
  }
  /// What other connections report is old.
  bool is_of_now(uint64_t connection) const { return connection == life_.connection() && link_.protocol(); }
  std::chrono::steady_clock::time_point now() const { return self_->clock().now(); }

  self_pointer self_;
  msg::server_entry entry_;
  child_server_options options_;
  child_limits limits_;

  child::lifecycle life_;
  child::restart_policy restarts_;
  child::server_link link_;
  child::opening_policy opening_;
  child::idle_clock idle_;
  msg::client_abilities abilities_; ///< that it is told of at its next start
  child::known_tools tools_;
  child::tool_review review_;
  child::page_reading pages_;
  server_reports reports_;
  child::calls_in_flight in_flight_;
  child::call_intake calls_; ///< all of them come by way of it
  child::list_refresh refresh_;
  child::asked_logins logins_;

  awaited_answer<msg::outcome<msg::listed_tools>> listed_; ///< its tools, when it is ready
  awaited_answer<bool> stopped_;                           ///< its last process is gone; false: it comes back
};

struct child_server_state {
  static inline const char* name = "child_server";
  std::optional<child_server_behavior> behavior; ///< CAF makes this before it tells the entry
};

msg::child_server_actor::behavior_type child_server(msg::child_server_actor::stateful_pointer<child_server_state> self,
                                                    msg::server_entry entry, child_server_options options);

} // namespace actors
