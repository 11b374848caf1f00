// Who answers the questions of programs, and by which rules.
#pragma once

#include "actors/sampling/rules.hpp"
#include "config/settings.hpp"

#include <asio/io_context.hpp>
#include <caf/fwd.hpp>

#include <memory>

namespace faults {
class injector;
} // namespace faults

namespace cli {

/// Of a provider, connections are made when the first program asks. Both outlive what is returned. `faults`: null: none
/// are injected into its answers.
std::shared_ptr<const sampling::rules> plan_models(caf::actor_system& system, asio::io_context& io,
                                                   const config::sampling_settings& settings,
                                                   std::shared_ptr<faults::injector> faults);

} // namespace cli
