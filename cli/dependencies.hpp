// What the settings and this machine make of what the actors depend on.
#pragma once

#include "actors/bridge/factories.hpp"
#include "config/server_list.hpp"
#include "config/settings.hpp"

#include <asio/io_context.hpp>

#include <cstdint>
#include <memory>
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

/// How servers are started, and how they are reached over HTTP. What has come of their answers and was not taken has a
/// bound, a share of that memory, for all that are processes, and one for all others. Both may be used as long as the
/// loop and the threads.
mcp::stdio_environment processes_of_servers(asio::io_context& io, bridge::threads& threads, uint64_t memory_bytes);
mcp::http_environment web_of_servers(asio::io_context& io, bridge::threads& threads, uint64_t memory_bytes);

/// Of a process that connects servers and runs no program.
bridge::dependencies dependencies_of_servers(caf::strong_actor_ptr port, asio::io_context& io, bridge::threads& threads,
                                             const config::environment& env, const config::settings& settings,
                                             const config::variable_lookup& variables);

/// Python in containers, if the settings say so; else null.
std::shared_ptr<sandbox::container_host> plan_containers(const asio::any_io_executor& executor,
                                                         const config::environment& env,
                                                         const config::settings& settings,
                                                         const config::variable_lookup& variables);

/// Why programs of that language can not run; empty: they can.
std::string problem_of(const bridge::dependencies& w, msg::language lang);

} // namespace cli
