// Who answers the questions of programs, and by which rules.
#pragma once

#include "actors/sampling_session.hpp"
#include "config/settings.hpp"

#include <asio/io_context.hpp>

#include <memory>

namespace cli {

/// Of a provider, connections are made when the first program asks.
std::shared_ptr<const actors::sampling_rules> plan_models(asio::io_context& io, const config::sampling_settings& settings);

} // namespace cli
