// What the settings and this machine make of what the actors depend on.
#pragma once

#include "actors/bridge/factories.hpp"
#include "config/server_list.hpp"
#include "config/settings.hpp"

#include <string>

namespace cli {

/// The part of it that settings decide: runtimes, permissions, isolation. The fault names the setting that is wrong.
struct dependency_plan {
  sandbox::runtimes runtimes;
  sandbox::path_policy paths;
  egress::network_policy network;
  sandbox::isolation_policy isolation = sandbox::isolation_policy::automatic;
};
/// No program writes what decides how those servers are started, see config::files_of_servers().
sandbox::path_policy with_files_kept(sandbox::path_policy paths, const config::server_list& servers,
                                     const config::environment& env, const config::variable_lookup& variables);

msg::outcome<dependency_plan> plan_world(const config::environment& env, const config::settings& settings);

/// Python in containers, if the settings say so; else null.
std::shared_ptr<sandbox::container_host> plan_containers(const asio::any_io_executor& executor,
                                                         const config::environment& env,
                                                         const config::settings& settings,
                                                         const config::variable_lookup& variables);

/// Why programs of that language can not run; empty: they can.
std::string problem_of(const bridge::dependencies& w, msg::language lang);

} // namespace cli
