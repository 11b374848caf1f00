// What a process is made of that runs programs, and in which they and others call the tools of the servers: all actors,
// and what these depend on.
#pragma once

#include "actors/bridge/factories.hpp"
#include "actors/client_wire.hpp"
#include "actors/supervisor.hpp"
#include "cli/actor_process.hpp"
#include "cli/dependencies.hpp"
#include "cli/served_configuration.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <memory>
#include <string>
#include <vector>

namespace cli {

/// A base. Whose client it serves, and what it does besides, the others say: `serve`, and verbs that do something once.
class serving_process : protected actor_process {
public:
  serving_process(const serving_process&) = delete;
  serving_process& operator=(const serving_process&) = delete;

protected:
  /// What is started on our own.
  enum class eager_servers : uint8_t { started, left_alone };

  serving_process(const config::environment& env, const config::settings& settings,
                  const config::variable_lookup& variables, dependency_plan plan, eager_servers eager);
  virtual ~serving_process() = default;

  /// Faults and recordings, which are put on connections. Before run_all(). The fault is one of the settings.
  msg::fault prepare_connections();
  /// Starts all actors, and is over when they have ended, after end() or a signal.
  void run_all();
  /// Ends everything in order. May be called more than once.
  void end() { end_.cancel(); }
  bool is_ending() const { return ending_; }
  /// Another server of ours has started this one: the outer one is asked, and this one has no servers.
  bool is_nested() const;
  /// The servers that a client is told of.
  std::vector<std::string> server_names() const;
  /// Other servers are configured now: those that may be started.
  msg::server_entries prepare_servers(const config::server_list& now);

  // ---- what the others say
  /// How the client is sent to; without a client nothing is.
  virtual actors::client_wire wire();
  /// The options are complete; for what is different.
  virtual void adapt(actors::supervisor_options&) {}
  virtual void session_started(const msg::client_session_actor&) {}
  /// All actors have been started; the loop is about to run.
  virtual void begin() {}
  /// A signal has come that ends a process. The next one comes here as well.
  virtual void signalled() { end(); }
  /// When it has `_exit`ed late.
  virtual int late_exit_code() const { return 0; }
  /// The end has begun: nothing more is taken from a client.
  virtual void stop_taking() {}
  /// All that clients are owed has been answered, and all actors have ended.
  virtual asio::awaitable<void> send_the_rest();
  /// After the loop: no handle of an actor is kept.
  virtual void forget_actors() {}

  config::settings settings_;
  served_configuration configuration_;
  bridge::dependencies dependencies_;

private:
  actors::supervisor_options supervisor_settings();
  void add_servers(actors::supervisor_options& o);
  void add_runs(actors::supervisor_options& o);
  void add_stores(actors::supervisor_options& o);
  void add_session(actors::supervisor_options& o);
  msg::server_entries startable(const config::server_list& servers) const;
  msg::start_status found_now();
  void wait_for_signal();
  asio::awaitable<void> run_until_shutdown();

  std::shared_ptr<const sampling::rules> models_;
  asio::steady_timer end_;     ///< cancelled when it is time to look whether to end
  sandbox::path_policy paths_; ///< without what depends on the servers
  eager_servers eager_;
  msg::supervisor_actor supervisor_;
  bool ending_ = false;
};

} // namespace cli
