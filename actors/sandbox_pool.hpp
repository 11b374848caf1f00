// Guests of one runtime, started ahead of need: already isolated, loaded, and warmed up by a dummy program. Each is
// given away once. How many wait follows the demand (actors/resilience/demand.hpp).
#pragma once

#include "actors/resilience/back_off.hpp"
#include "actors/resilience/demand.hpp"
#include "actors/sandbox.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace actors {

/// What the machine has for guests that only wait.
enum class memory_room : uint8_t {
  plenty, ///< for one more
  enough, ///< for those that there are
  low,    ///< others need it
};

struct sandbox_pool_options {
  msg::language lang = msg::language::typescript;
  guest_factory start;
  size_t size = 0;     ///< guests that wait at rest; 0: none is started ahead of need
  size_t size_max = 0; ///< at most, under demand
  /// Guests that are started at a time, ahead of need: each computes for all of its start.
  size_t starts_max = 64;
  std::chrono::milliseconds idle_after{0};
  msg::audit_log_actor audit{};                  ///< hears of connections of guests; null: no record does
  std::function<std::string()> guest_template{}; ///< for the status; null: each guest is started for itself
  /// Whether a guest that waits is better started later, when what makes it cheap is ready. It is asked again soon;
  /// null: never. A run does not wait for it.
  std::function<bool()> is_preparing{};
  /// Asked before a guest is started ahead of need, and every pool_room_pause while any waits; null: plenty. While it
  /// is low, one after the other that waits is ended; a run that finds none starts its own.
  std::function<memory_room()> room{};
};

/// A guest that waits holds 5 MB (Python) to 60 (TypeScript) of memory that others may come to need.
inline constexpr std::chrono::seconds pool_room_pause{5};

class sandbox_pool_state {
public:
  static inline const char* name = "sandbox_pool";

  explicit sandbox_pool_state(msg::sandbox_pool_actor::pointer self) : self_(self) {}
  sandbox_pool_state(const sandbox_pool_state&) = delete;
  sandbox_pool_state& operator=(const sandbox_pool_state&) = delete;
  /// Guests that wait end with it, however it ends; those that were given away belong to others.
  ~sandbox_pool_state();
  msg::sandbox_pool_actor::behavior_type make_behavior(sandbox_pool_options options);

private:
  /// A guest that lives: waiting here, or given away.
  struct member {
    msg::sandbox_actor sandbox;
    caf::actor_clock::time_point begun;
    msg::guest_phase phase = msg::guest_phase::starting;
    bool waits = false;
  };

  msg::outcome<msg::guest_lease> take(const msg::guest_request& wish);
  uint64_t spawn(const msg::guest_request& wish, bool waits);
  std::map<uint64_t, member>::iterator furthest_waiting();
  size_t waiting() const;
  size_t starting() const;
  void start_missing(size_t count);
  void reached(uint64_t number, msg::guest_phase phase);
  size_t wanted(size_t waiting);
  void look();
  void look_after(caf::timespan delay);
  void tick();
  void gone(const caf::actor_addr& who);
  msg::pool_status status();

  msg::sandbox_pool_actor::pointer self_;
  sandbox_pool_options options_;
  std::map<uint64_t, member> members_; ///< by number; numbers grow with time
  uint64_t last_number_ = 0;
  resilience::demand demand_{0, 0, {}};
  bool is_low_ = false; ///< on memory: fewer wait than the demand would have
  caf::actor_clock::time_point no_start_before_;
  /// After a guest died waiting.
  resilience::back_off backoff_{msg::limits::pool_backoff_first, msg::limits::pool_backoff_max};
  /// To come; a new one is always the earliest.
  std::set<caf::actor_clock::time_point> looks_;
  uint64_t served_warm_ = 0, served_cold_ = 0;
};

msg::sandbox_pool_actor::behavior_type sandbox_pool(msg::sandbox_pool_actor::stateful_pointer<sandbox_pool_state> self,
                                                    sandbox_pool_options options);

} // namespace actors
