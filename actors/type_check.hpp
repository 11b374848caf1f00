// Looks at the types of one program before it runs, and ends.
#pragma once

#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <cstdint>
#include <functional>

namespace actors {

/// So long a check waits at most for those of other programs before it begins: twice as long as one may take.
inline constexpr std::chrono::milliseconds type_check_wait_max{60'000};

/// Checks types elsewhere, for that client: one with many checks waits for itself. `done` gets a list of `{line,
/// column, message}`, on the main thread, once. What it returns ends the check early; `done` is called then, too.
using type_checker = std::function<std::function<void()>(uint64_t client, msg::type_check_request,
                                                         std::function<void(msg::outcome<msg::document>)> done)>;

struct type_check_options {
  type_checker check;
  uint64_t client = 0;
  msg::execution_actor execution; ///< ends with it
};

class type_check_state {
public:
  static inline const char* name = "type_check";

  explicit type_check_state(msg::type_check_actor::pointer self) : self_(self) {}
  msg::type_check_actor::behavior_type make_behavior(type_check_options options);

private:
  caf::result<msg::outcome<msg::document>> check(msg::type_check_request& what);
  void give_up();

  msg::type_check_actor::pointer self_;
  type_checker check_;
  uint64_t client_ = 0;
  std::function<void()> stop_; ///< empty: nothing is being checked
  caf::typed_response_promise<msg::outcome<msg::document>> promise_;
};

msg::type_check_actor::behavior_type type_check(msg::type_check_actor::stateful_pointer<type_check_state> self,
                                                type_check_options options);

} // namespace actors
