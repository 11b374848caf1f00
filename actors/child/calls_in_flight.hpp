// The calls that a server has, and those that may be sent as soon as it has a slot for them, run by run in turn. Each
// is answered once: by the server, by its end, or because no caller waits any more or it takes too long.
#pragma once

#include "actors/child/call_slots.hpp"
#include "actors/child/idle_clock.hpp"
#include "actors/child/known_tools.hpp"
#include "actors/child/lifecycle.hpp"
#include "actors/child/non_protocol_lines.hpp"
#include "actors/child/open_call.hpp"
#include "actors/child/restart_policy.hpp"
#include "actors/child/timer.hpp"
#include "actors/child/tool_review.hpp"
#include "actors/resilience/fair_queue.hpp"
#include "mcp/item_listing.hpp"
#include "messages/document.hpp"
#include "messages/server_questions.hpp"
#include "messages/servers.hpp"
#include "process/background.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace child {

/// What is asked of the outside.
struct flight_requests {
  /// false: the server does not read what it is sent.
  std::function<bool(const msg::tool_call&)> send;
  /// true: the server has got the call, and is told.
  std::function<bool(msg::call_key, std::string_view reason)> cancel;
  std::function<void(const std::function<bool(msg::call_key)>&)> forget_given_up; ///< all but those
  std::function<uint32_t()> unread_ms;                                            ///< as msg::server_start has it
  std::function<void(timer, std::chrono::milliseconds)> set_timer;                ///< late_calls or kept_slots
  std::function<std::chrono::steady_clock::time_point()> now;
};

/// What else is known of the server.
struct flight_rules {
  const lifecycle& life;
  const tool_review& review; ///< nothing is sent while one is awaited
  known_tools& tools;        ///< results are held against their contracts
  restart_policy& restarts;  ///< hears how calls have ended
  non_protocol_lines& lines; ///< told with a late call, and forgotten when no call is open
  idle_clock& idle;
};

class calls_in_flight {
public:
  /// Of the entry its name, and what it says of the time of a call.
  calls_in_flight(const msg::server_entry& entry, uint32_t at_once_max, process::background_work offload,
                  flight_rules rules, flight_requests requests);

  size_t size() const { return queued_.size() + sent_.size(); }
  /// Calls of the run that wait for a slot.
  size_t waiting_of(uint64_t run) const { return queued_.size_of(run); }

  /// Another process is being started: it has none of the calls before, nor of the timers.
  void process_started();
  /// It has been checked, and is sent as soon as there is a slot.
  void send_in_turn(open_call call);
  /// There may be a slot.
  void send_waiting();

  // ---- what the server says
  /// True: it shows that the server works.
  bool answered(msg::call_key key, msg::outcome<msg::document> answer);
  /// The same, of a listing of resources or prompts.
  bool listed(msg::call_key key, mcp::item_pages pages);
  /// Null: the server has no such call.
  const open_call* sent(msg::call_key key) const;
  /// It wants to know something: `then` hears what the caller says, or why that does not. Until then the time of that
  /// call stands still.
  void asked(msg::server_question question, std::function<void(msg::outcome<msg::document>)> then);
  /// It does not want to know it any more.
  void withdrawn(msg::call_key key, uint64_t question);
  /// One that was given up has been answered after all.
  void done_with(msg::call_key key);

  // ---- no caller waits any more
  /// `unsent`: what is answered if the server will never see it.
  void cancel(msg::call_key key, const msg::fault& unsent);
  /// Nothing of it is sent any more: first that is dropped, then the server hears of what it has got, and only then
  /// others have their turn.
  void run_over(uint64_t run, const msg::fault& unsent);

  // ---- timers, and the end
  /// True: there were some that took too long.
  bool end_late();
  /// Others get the slots of those that were given up long ago.
  void free_slots();
  /// Those that were not sent.
  void fail_queued(const msg::fault& why);
  /// Those that were.
  void fail_sent(const msg::fault& why);

private:
  using time_point = std::chrono::steady_clock::time_point;
  struct sent_call {
    open_call call;
    time_point deadline = time_point::max();
    uint32_t questions = 0; ///< of the server that are open
    time_point asked_at{};  ///< the first of them
  };

  bool has_slot(const msg::tool_call& call) const;
  void send(open_call call);
  void set_late_timer(time_point deadline);
  void go_on_after_question(msg::call_key key);
  void end_late_call(msg::call_key key);
  void give_up(msg::call_key key, std::string_view reason, msg::fault why, msg::fault unsent);
  open_call ended(std::map<msg::call_key, sent_call>::node_type sent);
  std::optional<open_call> take_sent(msg::call_key key);

  std::string server_;
  std::string source_;                      ///< of its entry
  std::chrono::milliseconds call_time_max_; ///< zero: its entry says nothing of it
  process::background_work offload_;
  flight_rules rules_;
  flight_requests requests_;
  resilience::fair_queue<open_call> queued_; ///< checked; the server has enough to do
  std::map<msg::call_key, sent_call> sent_;
  call_slots slots_;
  bool late_timer_set_ = false;
  bool slot_timer_set_ = false;
};

} // namespace child
