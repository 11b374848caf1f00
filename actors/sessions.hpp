// Named sessions: each owns a guest that keeps variables, imports and functions from run to run.
//
// Runs of one session queue. A session ends by an explicit reset, when it was idle too long, when a run of it was
// killed, or when its process died between runs; the next run then starts a new one and is told why.
#pragma once

#include "actors/reply_promise.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace actors {

struct sessions_options {
  std::map<msg::language, msg::sandbox_pool_actor> pools;
  size_t sessions_max = 0; ///< of one owner, with a guest, at once
  size_t in_all_max = 0;   ///< of all owners, if that is more; those that are idle make room
  std::chrono::milliseconds idle_max{0};
  std::chrono::milliseconds queue_wait_max{0};
};

class sessions_state {
public:
  static inline const char* name = "sessions";

  explicit sessions_state(msg::sessions_actor::pointer self) : self_(self) {}
  sessions_state(const sessions_state&) = delete;
  sessions_state& operator=(const sessions_state&) = delete;
  /// Its guests end with it, however it ends: no successor would find them again.
  ~sessions_state();
  msg::sessions_actor::behavior_type make_behavior(sessions_options options);

private:
  using key = msg::session_key;
  using lease_promise = reply_promise<msg::outcome<msg::guest_lease>>;
  struct waiting_run {
    uint64_t number = 0;
    msg::guest_request wish;
    lease_promise promise;
    caf::strong_actor_ptr run;
  };
  struct session {
    uint64_t number = 0;        ///< of the session, for its timers
    msg::sandbox_actor sandbox; ///< null: none yet, or no more
    msg::permissions granted;   ///< of the guest
    std::string ended_because;  ///< of the guest before
    std::deque<waiting_run> queue;
    msg::session_note told;   ///< to the run that has it
    msg::session_note untold; ///< to a run that never began; state none: nothing
    caf::actor_addr holder;   ///< the run that has it; gives it back, or dies
    lease_promise starting;   ///< of a run whose guest is being had from the pool
    uint64_t releases = 0;
    caf::actor_clock::time_point free_since;
    bool busy = false;
    bool is_abandoned = false; ///< no client comes back for it
  };

  caf::result<msg::outcome<msg::guest_lease>> take(msg::guest_request& wish);
  caf::result<msg::outcome<msg::guest_lease>> begin_again(const key& of, session& s, msg::guest_request wish);
  void grant(key of, session& s, waiting_run run);
  void start(key of, session& s, waiting_run run);
  void started(key of, msg::outcome<msg::guest_lease> lease, const caf::strong_actor_ptr& run);
  void hand_over(session& s, const caf::strong_actor_ptr& run, lease_promise promise, msg::session_note note);
  void released(const key& of, const std::string& lost_because);
  void not_begun(const key& of);
  void next(key of, session& s);
  void end(session& s, std::string why);
  void give_up_waiting(uint64_t number);
  void look_at_idle(uint64_t number, uint64_t releases);
  void gone(const caf::actor_addr& who);
  size_t living() const;
  size_t living_of(const std::string& owner) const;
  bool make_room(const std::string& for_owner);
  void abandon(const std::string& owner);
  msg::fault too_many(const std::string& owner) const;

  msg::sessions_actor::pointer self_;
  sessions_options options_;
  std::map<key, session> sessions_;
  uint64_t last_number_ = 0;
};

msg::sessions_actor::behavior_type sessions(msg::sessions_actor::stateful_pointer<sessions_state> self,
                                            sessions_options options);

} // namespace actors
