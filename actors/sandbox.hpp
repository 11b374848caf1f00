// One guest process as an actor: passes frames to its execution, answers and the end to the guest.
#pragma once

#include "messages/actors.hpp"
#include "sandbox/guest.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>

namespace actors {

/// Starts a guest that reports to `owner`. The fault says why there is none.
using guest_factory = std::function<msg::outcome<std::shared_ptr<sandbox::guest>>(msg::language, uint32_t timeout_ms, msg::sandbox_actor owner)>;

struct sandbox_options {
  msg::language lang = msg::language::typescript;
  uint32_t timeout_ms = 0;
  msg::guest_listener listener;
  guest_factory start;
};

class sandbox_state {
public:
  static inline const char* name = "sandbox";

  explicit sandbox_state(msg::sandbox_actor::pointer self) : self_(self) {}
  msg::sandbox_actor::behavior_type make_behavior(sandbox_options options);

private:
  msg::guest_output finish();
  void ended(const msg::guest_exit& how);

  msg::sandbox_actor::pointer self_;
  msg::guest_listener listener_;
  std::shared_ptr<sandbox::guest> guest_;
  bool finished_ = false; ///< the output has been given away
  bool ended_ = false;    ///< the process is reaped
};

msg::sandbox_actor::behavior_type sandbox_guest(msg::sandbox_actor::stateful_pointer<sandbox_state> self, sandbox_options options);

} // namespace actors
