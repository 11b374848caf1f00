// The provider of models in a simulation: what is asked of it over HTTP, by the real actor that asks.
#pragma once

#include "actors/sampling/rules.hpp"
#include "tests/simulation/injected.hpp"
#include "tests/simulation/world.hpp"

#include <caf/fwd.hpp>

namespace simulation {

/// Answers, in pieces or as a whole, refuses, and breaks off. All of them outlive the route.
sampling::model_route route_to_provider(caf::actor_system& system, world& in, injected_faults& injected);

} // namespace simulation
