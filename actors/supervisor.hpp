// Starts the actors of the process in order and ends them in order.
//
// The end, written once: runs are cancelled and take no more (their guests die, their calls are cancelled at the
// servers); then the guests that wait and those of sessions die; then every server is stopped in order; then the client gets what it is still owed,
// and the record is written to its end; then all actors quit. Each step waits for the one before, within shutdown_max in all.
#pragma once

#include "actors/admission.hpp"
#include "actors/artifacts.hpp"
#include "actors/audit_log.hpp"
#include "actors/catalog.hpp"
#include "actors/client_session.hpp"
#include "actors/connector.hpp"
#include "actors/execution.hpp"
#include "actors/health.hpp"
#include "actors/memory_store.hpp"
#include "actors/rate_limiter.hpp"
#include "actors/sandbox_pool.hpp"
#include "actors/sessions.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <vector>

namespace actors {

/// The handles that the options hold of each other are filled in by the supervisor.
struct supervisor_options {
  audit_log_options audit;
  catalog_options catalog;
  connector_options connector;
  admission_options admission; ///< `spawn_execution` is made of the next one
  std::vector<sandbox_pool_options> pools;
  sessions_options sessions;
  memory_options memory;
  artifacts_options outputs;
  /// The connector and the sources of guests in the options are the supervisor's to fill in.
  std::function<msg::execution_actor(caf::local_actor* parent, execution_options)> spawn_execution;
  health_options health;
  client_session_options session;
  std::function<void(msg::client_session_actor)> session_started;
  std::function<void(msg::health_actor)> health_started;       ///< empty: nobody else asks it
  std::function<void(msg::connector_actor)> connector_started; ///< for whoever sees another configuration
};

class supervisor_state {
public:
  static inline const char* name = "supervisor";

  explicit supervisor_state(msg::supervisor_actor::pointer self) : self_(self) {}
  msg::supervisor_actor::behavior_type make_behavior(supervisor_options options);

private:
  caf::result<bool> stop();
  void start_guests(std::vector<sandbox_pool_options> pools, sessions_options sessions);
  void start_health(health_options options);
  void stop_guests();
  void stop_servers();
  void stop_session();
  void finish();

  msg::supervisor_actor::pointer self_;
  msg::audit_log_actor audit_;
  msg::health_actor health_;
  msg::catalog_actor catalog_;
  msg::rate_limiter_actor limiter_;
  msg::connector_actor connector_;
  guest_sources guests_;
  msg::memory_actor memory_;
  msg::artifacts_actor outputs_;
  msg::admission_actor admission_;
  msg::client_session_actor session_;
  std::vector<caf::typed_response_promise<bool>> want_stop_;
};

msg::supervisor_actor::behavior_type supervisor(msg::supervisor_actor::stateful_pointer<supervisor_state> self, supervisor_options options);

} // namespace actors
