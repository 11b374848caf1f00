// What the actors have done elsewhere: on other threads, or by the type checker. Each is answered in any case, with a
// fault if it has thrown. Tests give them others.
#pragma once

#include "actors/artifacts.hpp"
#include "actors/audit_log.hpp"
#include "actors/background.hpp"
#include "actors/bridge/factories.hpp"
#include "actors/catalog.hpp"
#include "actors/clients.hpp"
#include "actors/execution.hpp"
#include "actors/health.hpp"
#include "actors/memory_store.hpp"
#include "catalog/catalog.hpp"
#include "config/settings.hpp"
#include "proxy/artifacts/store.hpp"
#include "proxy/types/observed.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bridge {

/// With a line of its own: what waits in it when the last copy goes is not done any more.
actors::background_work make_background_work(dependencies& w);
/// On the thread of what all runs need: it never waits behind work that programs or servers have made.
actors::background_work make_vital_work(dependencies& w);
actors::type_checker make_type_checker(dependencies& w);
struct memory_work {
  actors::background_memory carry_out;
  actors::owner_watch owners; ///< deletes what they have kept, also what a server that was killed has left of them
};
/// The store is in that folder; no file is made before the first request. `project`: the folder that our client works
/// in.
memory_work make_background_memory(dependencies& w, const std::string& state_folder, const std::string& project);
/// The store is in that folder; no file is made before the first request. Of the servers, those that can be started. Of
/// the settings, the policy for whole names of tools and what becomes of those that change.
actors::background_catalog make_background_catalog(dependencies& w, const std::string& state_folder,
                                                   std::vector<msg::server_entry> servers,
                                                   const config::security_settings& settings);
/// What becomes of tools that are not what was approved, as the settings have it.
catalog::changed_tools rule_of(config::pin_policy pins);
/// What no learned type keeps.
types::private_things what_is_private();
struct output_work {
  actors::background_artifacts carry_out;
  std::function<void(uint64_t run)> run_is_over;
};
/// Removes what has expired, elsewhere, before anything else. Runs take turns.
output_work make_background_artifacts(dependencies& w, artifacts::store_options options);

/// No file is made before the first event.
actors::background_audit make_background_audit(dependencies& w, audit::log_options options);
/// The disk is that of the folder, or of what is there of its path.
actors::machine_observer make_machine_observer(dependencies& w, const std::string& state_folder);

} // namespace bridge
