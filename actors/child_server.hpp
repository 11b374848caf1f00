// One MCP server: starts its process when somebody needs it, keeps its calls apart, starts it again after a failure.
#pragma once

#include "actors/background.hpp"
#include "actors/resilience/circuit_breaker.hpp"
#include "actors/resilience/fair_queue.hpp"
#include "mcp/client_protocol.hpp"
#include "mcp/connection.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"
#include "proxy/contract.hpp"

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace actors {

/// Opens connection number `generation` of a server and makes it report to `owner`. The fault says why there is none.
using connection_factory =
  std::function<msg::outcome<std::shared_ptr<mcp::connection>>(const msg::server_entry&, msg::child_server_actor owner, uint64_t generation)>;

/// How a server is treated whose entry does not say otherwise.
struct child_limits {
  proxy::breaker_options breaker{msg::limits::breaker_failures_max, msg::limits::breaker_window, msg::limits::breaker_open_for};
  uint32_t starts_per_minute = msg::limits::child_starts_per_minute;
  std::chrono::milliseconds idle = msg::limits::child_idle; ///< 0: it is never stopped for being idle
  uint32_t calls_at_once = msg::limits::child_calls_at_once;
  std::chrono::milliseconds start = msg::limits::child_handshake_timeout;
};

struct child_server_options {
  connection_factory connect;
  background_work offload;        ///< checks and reading of what is large
  msg::connector_actor connector; ///< hears of new tool lists, and whether it runs; may be null
  uint64_t jitter_seed = 0;       ///< the back-off is drawn from [1/2, 1] of its full length
  child_limits limits{};
  msg::audit_log_actor audit{};       ///< hears of new states; null: nobody does
  bool calls_wait_for_review = false; ///< no call leaves between a new list and what the connector says of it
};

class child_server_state {
public:
  static inline const char* name = "child_server";

  explicit child_server_state(msg::child_server_actor::pointer self) : self_(self) {}
  msg::child_server_actor::behavior_type make_behavior(msg::server_entry entry, child_server_options options);

private:
  enum timer : uint8_t { handshake_timer, garbage_timer, relist_timer, idle_timer, call_timer, restart_timer, place_timer };
  using call_promise = caf::typed_response_promise<msg::outcome<msg::tool_result>>;
  using tools_promise = caf::typed_response_promise<msg::outcome<msg::tool_list>>;
  using stop_promise = caf::typed_response_promise<bool>;
  struct open_call {
    msg::tool_call call;
    call_promise promise;
    caf::strong_actor_ptr caller;                                                ///< hears of progress
    uint64_t list = 0;                                                           ///< that was reviewed when it came
    std::shared_ptr<std::atomic<bool>> is_wanted;                                ///< while another thread looks at its arguments
    std::shared_ptr<proxy::taken_arguments> taken;                               ///< what that thread made of them
    std::string note;                                                            ///< to the program, on what it was
    caf::actor_clock::time_point deadline = caf::actor_clock::time_point::max(); ///< once it is sent
  };

  /// A page of tools that another thread takes apart.
  struct open_page {
    std::shared_ptr<mcp::tool_page> page;
    caf::typed_response_promise<bool> promise;
  };

  // ---- starting and ending
  msg::fault ensure_started();
  void connect();
  void listed(msg::outcome<msg::tool_list> result);
  void become_ready();
  void release_waiting();
  void fail_start(msg::fault why);
  void ending();
  void closed(uint64_t generation, const msg::fault& reason);
  void lost(const msg::fault& reason);
  void back_off();
  void tell_running(bool running);
  caf::result<bool> stop();
  void end(const caf::error& reason);

  // ---- how often, how long
  msg::fault may_start();
  msg::fault may_be_called();
  bool waits_for_restart(const msg::tool_call& call);
  void start_again();
  bool is_busy() const;
  void used();
  void rest_if_idle();
  caf::result<bool> stop_if_idle();
  void begin_rest();
  void watch_time_of(open_call& call);
  void end_late_calls();
  void end_late_call(msg::call_key key);

  // ---- calls
  caf::result<msg::outcome<msg::tool_result>> take_call(msg::tool_call& call);
  static void refuse(open_call& call, msg::fault why);
  static void take_checked(open_call& call, proxy::taken_arguments& taken);
  void give_back(open_call& call, msg::fault why);
  void check(open_call call);
  void checked(msg::call_key key, msg::fault problem);
  void send_in_turn(open_call call);
  void send_waiting();
  void send(open_call call);
  std::shared_ptr<const proxy::contract> contract_of(const std::string& tool);
  void bound_contracts();
  void forget_contracts();
  void answer(msg::call_key key, msg::outcome<msg::document> answer);
  std::string masked(std::string text) const;
  msg::outcome<msg::document> masked(msg::outcome<msg::document> answer) const;

  // ---- calls that nobody waits for any more
  void cancel(msg::call_key key);
  void run_over(uint64_t run);
  void give_up(msg::call_key key, std::string_view reason, msg::fault why, msg::fault unsent);
  uint32_t unread_ms() const;
  void keep_place(msg::call_key key);
  void place_free(msg::call_key key);
  void free_places();
  bool has_slot() const;

  // ---- its tools
  caf::result<msg::outcome<msg::tool_list>> give_tools();
  void fail_waiting(const msg::fault& why);

  // ---- whether tools are what was approved
  void tell_tools();
  bool is_reviewing() const;
  std::chrono::milliseconds relist_pause() const;
  void reviewed(uint64_t list, msg::outcome<std::vector<std::string>> held);
  msg::fault held_back(const open_call& call) const;

  // ---- what the server sends
  mcp::client_callbacks callbacks();
  caf::result<bool> received(const msg::document& message);
  caf::result<bool> read_page(const msg::document& answer);
  void page_read(uint64_t generation);
  void drop(msg::tool_list tools) const;
  void non_protocol_line(const std::string& line);
  void tick(timer which);
  void list_again();
  void set_timer(timer which, std::chrono::milliseconds after);
  msg::fault fault_of(msg::errc code, const std::string& what) const;
  msg::server_status status() const;
  uint32_t starting_ms() const;
  void record_state();

  msg::child_server_actor::pointer self_;
  msg::server_entry entry_;
  child_server_options options_;
  std::mt19937_64 random_;

  msg::server_state state_ = msg::server_state::idle;
  msg::server_state recorded_ = msg::server_state::idle;
  bool recorded_open_ = false; ///< the breaker
  uint64_t generation_ = 0;    ///< of the connection; what an older one reports is ignored
  uint32_t starts_ = 0;
  bool resting_ = false;        ///< being stopped because nobody needs it: who comes waits for the next start
  bool hung_up_ = false;        ///< it was ready, and ends by itself: who comes hears why when it is known
  uint32_t open_processes_ = 0; ///< connections that have not reported their end
  std::shared_ptr<mcp::connection> connection_;
  std::unique_ptr<mcp::client_protocol> protocol_; ///< replaced only by connect(): its callbacks end up here
  msg::tool_list tools_;
  uint32_t failures_ = 0; ///< in a row
  caf::actor_clock::time_point starting_since_, ready_since_, retry_at_;
  std::string last_error_;
  std::string first_non_protocol_line_; ///< since the last message
  std::string stray_;                   ///< the last line that was none, while calls are open: one of them may have been meant
  size_t garbage_lines_ = 0;
  bool relist_wanted_ = false;
  caf::actor_clock::time_point told_at_;        ///< when the catalog was told the last list
  std::chrono::milliseconds review_took_{0};    ///< of the last one that was reviewed
  bool tools_are_stale_ = false;                ///< they have changed, and could not be read
  uint64_t list_ = 0;                           ///< number of the last list that was told
  uint64_t reviewed_ = 0;                       ///< of the last one that the connector has answered
  msg::outcome<std::vector<std::string>> held_; ///< what it said: tools of that list that may not be called
  /// Of tools that have been called since the list was read last.
  std::unordered_map<std::string, std::shared_ptr<const proxy::contract>> contracts_;
  std::unique_ptr<proxy::circuit_breaker> breaker_;
  std::deque<caf::actor_clock::time_point> started_at_; ///< within the last minute; the last ones, as many as may be
  caf::actor_clock::time_point last_used_;
  bool call_timer_set_ = false;
  bool place_timer_set_ = false;
  proxy::fair_queue<open_call> queued_;         ///< checked; the server has enough to do
  std::vector<open_call> waiting_;              ///< for the handshake, or for a list that has changed
  std::map<msg::call_key, open_call> checking_; ///< their arguments are with the worker
  std::map<msg::call_key, open_call> in_flight_;
  std::map<msg::call_key, caf::actor_clock::time_point> given_up_; ///< sent and cancelled, not answered: each keeps its place until then
  std::vector<tools_promise> want_tools_;
  std::vector<stop_promise> want_stop_;
  std::map<uint64_t, open_page> open_pages_; ///< by connection: its reader waits meanwhile
};

msg::child_server_actor::behavior_type child_server(msg::child_server_actor::stateful_pointer<child_server_state> self, msg::server_entry entry,
                                                    child_server_options options);

} // namespace actors
