// The whole server in a simulation: every actor that the program has, on one thread and one virtual clock. What is
// outside of the actors, processes, disks and clients, is simulated.
#pragma once

#include "actors/supervisor.hpp"
#include "tests/simulation/clients.hpp"
#include "tests/simulation/disk.hpp"
#include "tests/simulation/guests.hpp"
#include "tests/simulation/servers.hpp"
#include "tests/simulation/world.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simulation {

/// Small ones, so that they are reached.
struct small_limits {
  explicit small_limits(uint64_t seed);

  size_t runs_max, client_runs_max, queued_max;
  std::chrono::milliseconds queue_wait_max;
  size_t pool_size, pool_size_max;
  size_t sessions_max;
  uint32_t servers_max, calls_at_once_max;
  uint32_t tool_calls_max;
  uint32_t sampling_rounds, sampling_tokens;
  size_t record_events_max;
  size_t requests_max;  ///< of the catalog and the stores
  msg::rate_limit rate; ///< of a client, and of a server
  std::chrono::milliseconds question_wait;
  bool clients_can_be_asked;
};

class house {
public:
  static constexpr uint32_t clients_at_start = 3, clients_max = 6;

  house(uint64_t of_seed, const std::string& folder);
  house(const house&) = delete;
  house& operator=(const house&) = delete;
  ~house();

  // ---- time
  /// Runs actors that have something to do, in an order of chance, until none has.
  void settle();
  /// The same, and with what happens by itself at once.
  void settle_all();
  void pass(std::chrono::milliseconds time);
  /// All that is due in it is late.
  void jump(std::chrono::milliseconds time);
  std::chrono::system_clock::time_point wall_now();
  /// Since it was built.
  std::chrono::milliseconds age();
  /// Timers that have not come to their end.
  size_t timers() { return scheduler().clock().schedule().size(); }

  // ---- what can be done to it
  void reload(chance luck);
  void kill(const std::string& name);
  /// What looks after one run.
  void kill_execution();
  void connect(client& c);
  void disconnect(client& c);
  /// Somebody comes over HTTP.
  void come();
  /// In order. False: it does not end.
  bool stop();

  /// An answer, if there is one at once.
  template <class T, class Handle, class... Ts>
  std::shared_ptr<std::vector<T>> ask(const Handle& whom, Ts... what);
  size_t running_actors() { return system_.registry().running(); }
  template <class Handle>
  Handle living(const std::string& name) {
    return caf::actor_cast<Handle>(living_[name]);
  }
  const std::map<std::string, caf::strong_actor_ptr>& all_living() const { return living_; }

  uint64_t seed;
  world in;
  small_limits limits;
  guests all_guests{in};
  servers all_servers;
  disk record;
  std::vector<std::shared_ptr<client>> all_clients; ///< by number of connection, from 1
  bool has_failed = false;
  bool was_reloaded = false, was_record_killed = false;

private:
  struct config : caf::actor_system_config {
    config() {
      set("scheduler.policy", caf::atom("testing"));
      set("logger.inline-output", true);
    }
  };

  actors::supervisor_options options();
  void set_stores(actors::supervisor_options& o);
  void set_guests(actors::supervisor_options& o);
  void set_clients(actors::supervisor_options& o);
  void set_rest(actors::supervisor_options& o);
  actors::background_work elsewhere();
  std::shared_ptr<const sampling::rules> models();
  caf::scheduler::test_coordinator& scheduler();

  config config_;
  caf::actor_system system_{config_};
  caf::actor_clock::time_point begin_;
  std::chrono::system_clock::time_point wall_begin_{std::chrono::hours{24 * 365 * 55}};
  std::map<std::string, caf::strong_actor_ptr> living_;
  std::map<std::string, int> kills_;        ///< of services that are not started anew yet
  std::vector<caf::actor_addr> executions_; ///< all that there ever were
  msg::supervisor_actor supervisor_;
  msg::clients_actor clients_;
};

template <class T, class Handle, class... Ts>
std::shared_ptr<std::vector<T>> house::ask(const Handle& whom, Ts... what) {
  auto answers = std::make_shared<std::vector<T>>();
  system_.spawn(
    [](caf::event_based_actor* asker, std::shared_ptr<std::vector<T>> to, Handle dest, Ts... args) {
      asker->set_default_handler(
        [](caf::scheduled_actor*, caf::message_view&) -> caf::result<caf::message> { return caf::message{}; });
      asker->request(dest, caf::infinite, std::move(args)...)
        .then([to](T& x) { to->push_back(std::move(x)); }, [](caf::error&) {});
    },
    answers, whom, std::move(what)...);
  settle();
  return answers;
}

} // namespace simulation
