// Asks the other actors how they are, for the tool `health` and for the health port.
#pragma once

#include "actors/execution.hpp"
#include "actors/reply_promise.hpp"
#include "messages/actors.hpp"

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <string>
#include <vector>

namespace actors {

/// Looks at the machine elsewhere; `done` is called on the main thread, once.
using machine_observer = std::function<void(std::function<void(msg::machine_status)> done)>;

/// Null actors are not asked.
struct health_options {
  msg::admission_actor admission;
  msg::connector_actor connector;
  guest_sources guests;
  msg::audit_log_actor audit;
  msg::catalog_actor catalog;
  machine_observer look;                      ///< empty: nothing is known of it
  std::function<msg::start_status()> started; ///< what the process finds now
  uint32_t runs_max = 0;
  uint32_t queue_max = 0;
};

class health_state {
public:
  static inline const char* name = "health";

  explicit health_state(msg::health_actor::pointer self) : self_(self) {}
  msg::health_actor::behavior_type make_behavior(health_options options);

private:
  /// `take` gets the answer, unless there is none.
  template <class Answer, class Actor, class Atom, class Take>
  void ask(const Actor& whom, Atom what, std::string name_of_it, Take take);
  caf::result<msg::health_report> answer();
  void gather();
  void look();
  void one_less();
  void deliver();

  msg::health_actor::pointer self_;
  health_options options_;
  msg::health_report report_; ///< being gathered, for all who wait
  std::vector<reply_promise<msg::health_report>> waiting_;
  size_t outstanding_ = 0;
  uint64_t look_ = 0; ///< number of the last look at the machine
  bool is_looking_ = false;
  caf::actor_clock::time_point started_;
};

msg::health_actor::behavior_type health(msg::health_actor::stateful_pointer<health_state> self, health_options options);

} // namespace actors
