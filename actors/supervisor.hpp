// Starts the actors of the process in order, starts anew those that die, and ends them in order.
//
// What is started anew has an address that stays (service_address.hpp), so that the others need not know. What each
// death costs whom stands in docs/architecture.md, "When an actor dies".
//
// The end, written once: runs are cancelled and take no more (their guests die, their calls are cancelled at the
// servers); then the guests that wait and those of sessions die; then every server is stopped in order; then the client
// gets what it is still owed, and the record is written to its end; then all actors quit. Each step waits for the one
// before, within shutdown_max in all.
#pragma once

#include "actors/admission.hpp"
#include "actors/artifacts.hpp"
#include "actors/audit_log.hpp"
#include "actors/catalog.hpp"
#include "actors/client_session.hpp"
#include "actors/clients.hpp"
#include "actors/configuration.hpp"
#include "actors/connector.hpp"
#include "actors/execution.hpp"
#include "actors/health.hpp"
#include "actors/memory_store.hpp"
#include "actors/rate_limiter.hpp"
#include "actors/reply_promise.hpp"
#include "actors/resilience/back_off.hpp"
#include "actors/sandbox_pool.hpp"
#include "actors/sessions.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <string>
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
  configuration_options configuration;
  client_session_options session;
  std::function<void(msg::client_session_actor)> session_started;
  /// How that client over HTTP is sent to; its session is otherwise as that above. Empty: there are none.
  std::function<client_wire(uint32_t connection)> wire_client;
  clients_options clients;
  std::function<void(msg::clients_actor)> clients_started;
  /// Empty: nobody speaks with them but runs and sessions.
  std::function<void(const msg::connector_actor&, const msg::audit_log_actor&)> servers_started;
  std::function<void(msg::health_actor)> health_started; ///< empty: no health port asks it
  /// The session with the client, which nothing can take up again, or the supervisor has died: the process has to end.
  /// Empty: no caller listens.
  std::function<void()> failed;
  /// Of each one that is started, or started anew; for tests that kill it. Empty: no test listens.
  std::function<void(const std::string& name, const caf::strong_actor_ptr& actor)> started;
};

class supervisor_state {
public:
  static inline const char* name = "supervisor";

  explicit supervisor_state(msg::supervisor_actor::pointer self) : self_(self) {}
  supervisor_state(const supervisor_state&) = delete;
  supervisor_state& operator=(const supervisor_state&) = delete;
  /// All others end with it, however it ends.
  ~supervisor_state();
  msg::supervisor_actor::behavior_type make_behavior(supervisor_options options);

private:
  /// An actor that is started anew when it dies.
  struct service {
    std::string name; ///< for the log
    std::function<caf::strong_actor_ptr()> spawn;
    caf::strong_actor_ptr address; ///< for all others
    caf::strong_actor_ptr actor;   ///< null: it has died
    caf::actor_clock::time_point since;
    resilience::back_off pause{msg::limits::service_backoff_first, msg::limits::service_backoff_max};
  };

  /// The address of what `spawn` makes, now and whenever it dies. The handles that `spawn` gives to others are
  /// addresses, too.
  template <class Handle>
  Handle supervise(std::string name, std::function<Handle()> spawn);
  void start(service& s);
  void died(const caf::down_msg& down);

  caf::result<bool> stop();
  void start_stores(supervisor_options& options);
  void start_guests(std::vector<sandbox_pool_options> pools, sessions_options sessions);
  void start_runs(supervisor_options& options);
  void start_health(health_options options);
  void start_configuration(configuration_options options);
  void start_session(client_session_options options);
  void start_clients(clients_options options);
  void stop_guests();
  void stop_servers();
  void stop_session();
  void finish_record();
  void finish();
  void end_all();

  msg::supervisor_actor::pointer self_;
  std::vector<service> services_; ///< in the order of their start
  msg::audit_log_actor audit_;
  msg::health_actor health_;
  msg::catalog_actor catalog_;
  msg::rate_limiter_actor limiter_;
  msg::connector_actor connector_;
  guest_sources guests_;
  msg::memory_actor memory_;
  msg::artifacts_actor outputs_;
  msg::admission_actor admission_;
  msg::configuration_actor configuration_; ///< null: no files are followed
  msg::client_session_actor session_;      ///< itself; null: it has ended
  msg::clients_actor clients_;             ///< null: there is no HTTP
  connector_options of_connector_;         ///< with the servers as they are configured now
  std::function<void()> failed_;
  std::function<void(const std::string& name, const caf::strong_actor_ptr& actor)> started_;
  std::vector<reply_promise<bool>> want_stop_;
  bool has_ended_ = false; ///< in order
};

msg::supervisor_actor::behavior_type supervisor(msg::supervisor_actor::stateful_pointer<supervisor_state> self,
                                                supervisor_options options);

} // namespace actors
