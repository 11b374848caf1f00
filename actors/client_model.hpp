// The client's own model, as a route of the questions of one run.
#pragma once

#include "actors/sampling/route_choice.hpp"
#include "actors/sampling/rules.hpp"
#include "messages/actors.hpp"

#include <caf/actor_clock.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <optional>

namespace actors {

/// Who asks it, in whose context all happens.
struct client_model {
  msg::sampling_session_actor::pointer self;
  msg::run_listener client;
  std::function<caf::actor_clock::time_point()> run_ends; ///< as it is known at the time; empty: never
  const std::optional<sampling::route_choice>& routes;    ///< of the same actor: it has one when the client is asked
};

/// Its answer comes as one piece: a client can not stream. Its silence is errc::call_timeout.
sampling::route_ptr client_route(const client_model& asked, const sampling::rules& rules, const msg::run_request& run);

} // namespace actors
