#include "actors/rate_limiter.hpp"

#include <caf/all.hpp>

namespace actors {

using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

namespace {

fault refusal(const msg::rate_claim& claim, milliseconds wait) {
  fault why{errc::rate_limited, claim.whose + " is limited to " + std::to_string(claim.limit.requests) + " in "
                                  + std::to_string(claim.limit.window_ms) + " ms (" + claim.key + "); try again in "
                                  + std::to_string(wait.count()) + " ms"};
  why.retry_after_ms = static_cast<uint32_t>(wait.count());
  return why;
}

} // namespace

/// The longest wait is told.
fault rate_limiter_state::take(const msg::rate_claims& claims) {
  auto now = self_->clock().now();
  const msg::rate_claim* strictest = nullptr;
  milliseconds longest{0};
  for (auto& claim : claims)
    if (auto wait = buckets_.wait_for(claim.bucket, claim.limit, now); wait > longest) {
      longest = wait;
      strictest = &claim;
    }
  if (strictest)
    return refusal(*strictest, longest);
  for (auto& claim : claims)
    buckets_.take(claim.bucket, claim.limit, now);
  return {};
}

msg::rate_limiter_actor::behavior_type rate_limiter_state::make_behavior() {
  self_->set_default_handler(caf::drop);
  return {[this](msg::take_atom, const msg::rate_claims& claims) { return take(claims); }};
}

msg::rate_limiter_actor::behavior_type
rate_limiter(msg::rate_limiter_actor::stateful_pointer<rate_limiter_state> self) {
  return self->state.make_behavior();
}

} // namespace actors
