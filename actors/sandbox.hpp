// One guest process as an actor: passes frames to the execution that has the guest at the time, answers and the end to
// the guest.
//
// A guest waits in a pool (no listener), serves a run (listener: its execution), and either ends with it or, in a
// session, waits for the next one. What it says while no execution listens is answered with an error or dropped.
#pragma once

#include "messages/actors.hpp"
#include "sandbox/launch/guest.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>

namespace actors {

/// Starts a guest that reports to `owner`. The fault says why there is none.
using guest_factory =
  std::function<msg::outcome<std::shared_ptr<sandbox::guest>>(const msg::guest_request&, msg::sandbox_actor owner)>;

struct sandbox_options {
  msg::guest_request wish;
  guest_factory start;
  msg::sandbox_pool_actor pool; ///< hears of the phases until a listener is attached; null: no pool does
  uint64_t number = 0;          ///< in the pool
  msg::audit_log_actor audit{}; ///< hears of connections of the guest; null: no record does
};

class sandbox_state {
public:
  static inline const char* name = "sandbox";

  explicit sandbox_state(msg::sandbox_actor::pointer self) : self_(self) {}
  sandbox_state(const sandbox_state&) = delete;
  sandbox_state& operator=(const sandbox_state&) = delete;
  /// The guest ends with it, however it ends: no actor hears of it any more.
  ~sandbox_state();
  msg::sandbox_actor::behavior_type make_behavior(sandbox_options options);

private:
  void start(const guest_factory& factory);
  void attach(msg::guest_listener listener);
  void run(const msg::guest_program& program);
  void record(msg::audit_event& connection);
  caf::result<bool> frame(msg::document& frame);
  void hold(uint64_t elsewhere);
  void advance(msg::guest_phase phase);
  msg::guest_output collect();
  msg::guest_output finish();
  void ended(msg::guest_exit how);
  void tell_the_end();

  msg::sandbox_actor::pointer self_;
  sandbox_options options_;
  msg::guest_listener listener_; ///< null: no run has the guest
  std::shared_ptr<sandbox::guest> guest_;
  msg::guest_phase phase_ = msg::guest_phase::starting;
  msg::guest_exit exit_;
  uint64_t held_bytes_max_ = 0; ///< of the run it serves
  uint64_t run_ = 0;            ///< that it serves, or has served last
  uint32_t connections_ = 0;    ///< told to the record, of this run
  bool has_begun_ = true;       ///< what it says is of the program that it has; false: of one before
  bool ran_before_ = false;     ///< a program that is over
  bool collected_ = false;      ///< a session's guest between two runs
  bool finished_ = false;       ///< the output has been given away for good
  bool ended_ = false;          ///< the process is reaped
};

msg::sandbox_actor::behavior_type sandbox_guest(msg::sandbox_actor::stateful_pointer<sandbox_state> self,
                                                sandbox_options options);

} // namespace actors
