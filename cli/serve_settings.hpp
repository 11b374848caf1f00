// What the actors of `serve` get of the settings.
#pragma once

#include "actors/audit_log.hpp"
#include "actors/sandbox_pool.hpp"
#include "actors/server_actors.hpp"
#include "config/settings.hpp"
#include "proxy/artifacts/store.hpp"
#include "proxy/surface/arguments.hpp"
#include "proxy/surface/surface.hpp"

#include <string>

namespace bridge {
struct dependencies;
}

namespace cli {

/// Without the servers themselves.
actors::connector_options connector_of(bridge::dependencies& all, const config::settings& settings);

/// Without a `write` where the record is switched off. Makes the name of this process in the record.
actors::audit_log_options record_of(bridge::dependencies& all, const config::settings& settings);

surface::run_limits run_limits_of(const config::settings& settings);

artifacts::store_options kept_artifacts(const config::settings& settings);

/// Empty where programs of that language can not run.
actors::sandbox_pool_options pool_of(bridge::dependencies& all, const config::settings& settings, msg::language lang);

surface::shown_tools surface_of(const config::settings& settings);

/// Where interpreters keep what they have prepared; empty: nowhere. Guests of root are the user `nobody`, who can not
/// walk into root's home.
std::string cache_folder(const config::settings& settings);

} // namespace cli
