// The port for those who look after the machine: /health, /ready, /live, /metrics.
#pragma once

#include "actors/bridge/factories.hpp"
#include "config/settings.hpp"
#include "http/server.hpp"

#include <asio/io_context.hpp>

#include <memory>

namespace bridge {

/// Null: none is wanted, or it can not be had, which is told in the log. `health` is asked for every answer but that of
/// /live.
std::shared_ptr<http::server> open_health_port(asio::io_context& io, dependencies& w,
                                               const config::health_settings& settings, msg::health_actor health);

} // namespace bridge
