// What the actors depend on, made of real processes: connections to servers, and guests.
// Tests give the actors others.
#pragma once

#include "actors/bridge/threads.hpp"
#include "actors/child_server.hpp"
#include "actors/configuration.hpp"
#include "actors/relay_connection.hpp"
#include "actors/sandbox.hpp"
#include "config/environment.hpp"
#include "mcp/http_connection.hpp"
#include "mcp/stdio_connection.hpp"
#include "recording/connections.hpp"
#include "sandbox/container/container_engine.hpp"
#include "sandbox/egress/host_rules.hpp"
#include "sandbox/launch/grants.hpp"
#include "sandbox/launch/guest.hpp"
#include "sandbox/launch/guest_template.hpp"
#include "sandbox/runtimes/runtime.hpp"

#include <asio/any_io_executor.hpp>
#include <caf/actor_control_block.hpp>

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace faults {
class injector;
}

namespace bridge {

/// All of it outlives the actors.
struct dependencies {
  caf::strong_actor_ptr port; ///< see ask.hpp
  asio::any_io_executor executor;
  threads& there;
  mcp::stdio_environment stdio;
  mcp::http_environment web;
  config::environment environment;
  config::variable_lookup variables;
  sandbox::runtimes runtimes;
  sandbox::path_policy paths;
  std::shared_ptr<sandbox::prespawned_guests> prespawned;
  std::shared_ptr<sandbox::start_turns> turns;
  std::shared_ptr<sandbox::memory_watch> memory;
  std::shared_ptr<process::common_budget> budget;
  sandbox::isolation_policy isolation = sandbox::isolation_policy::automatic;
  bool may_use_pyodide = false; ///< instead of CPython, where there are no namespaces
  egress::network_policy network;
  std::shared_ptr<sandbox::container_host> containers; ///< null: Python runs in boxes like everything else
  std::string cache_folder;                            ///< for what runtimes have prepared; empty: none
  bool caches_are_used = false;
  /// Null: each guest is started for itself.
  std::shared_ptr<sandbox::guest_template> python_template = {}, typescript_template = {};
  std::string state_folder = {};                 ///< with the accounts of logins; empty: there are none
  std::set<std::string> told_unset;              ///< of entries of servers: each is logged once
  std::shared_ptr<faults::injector> faults = {}; ///< null: none are injected
  recording::recordings recordings = {};
  sandbox::output_listener printed = {}; ///< of all guests
  int caches_being_made = 0;             ///< the template of TypeScript waits for them: what it has mounted stays

  sandbox::guest_template* template_of(msg::language l) const {
    return (l == msg::language::python ? python_template : typescript_template).get();
  }
};

/// How guests are kept in here: found out and logged at the first need, which blocks for some milliseconds, so that the
/// client's first answers do not wait for it.
const sandbox::isolation& isolation_of(dependencies& w);

/// Uses the caches of the runtimes, once it is known how guests are kept in; makes those that are not there, in the
/// background. Before the first guest at the latest: without them Deno takes twice the time to start, and Pyodide ten
/// times.
void use_caches(dependencies& w);

/// Starts the template of the guests of a language, if there is to be one. True: it will be ready soon.
bool is_template_starting(dependencies& w, msg::language lang);

actors::connection_factory make_connection_factory(dependencies& w);
actors::relay_connection_factory make_relay_connection_factory(dependencies& w);
/// Of servers that were started before, by files in the state folder.
child::era_memory make_era_memory(const std::string& state_folder);
actors::guest_factory make_guest_factory(dependencies& w);
/// By inotify; each call makes one.
std::function<actors::file_watching()> make_file_watching(dependencies& w);

} // namespace bridge
