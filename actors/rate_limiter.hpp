// How often: token buckets of clients, servers and tools, for the whole process.
#pragma once

#include "actors/resilience/token_buckets.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace actors {

class rate_limiter_state {
public:
  static inline const char* name = "rate_limiter";

  explicit rate_limiter_state(msg::rate_limiter_actor::pointer self) : self_(self) {}
  msg::rate_limiter_actor::behavior_type make_behavior();

private:
  msg::fault take(const msg::rate_claims& claims);

  msg::rate_limiter_actor::pointer self_;
  resilience::token_buckets buckets_{msg::limits::rate_buckets_max};
};

msg::rate_limiter_actor::behavior_type rate_limiter(msg::rate_limiter_actor::stateful_pointer<rate_limiter_state> self);

} // namespace actors
