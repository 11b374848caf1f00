// How many runs go on at once: a bounded number runs, a bounded number waits, the rest is told to come back.
#pragma once

#include "actors/reply_promise.hpp"
#include "actors/resilience/fair_queue.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <vector>

namespace actors {

using execution_spawner = std::function<msg::execution_actor(caf::local_actor* parent)>;

struct admission_options {
  execution_spawner spawn_execution;
  size_t runs_max = 0;
  size_t queued_max = 0;
  size_t client_runs_max = 0; ///< of one client at once; 0: as many as there are places
  std::chrono::milliseconds queue_wait_max{0};
  msg::rate_limiter_actor limiter;
  msg::rate_limit rate{}; ///< runs of one client
};

class admission_state {
public:
  static inline const char* name = "admission";

  explicit admission_state(msg::admission_actor::pointer self) : self_(self) {}
  admission_state(const admission_state&) = delete;
  admission_state& operator=(const admission_state&) = delete;
  /// Its runs end with it, however it ends: no client waits for them any more.
  ~admission_state();
  msg::admission_actor::behavior_type make_behavior(admission_options options);

private:
  using report_promise = reply_promise<msg::run_report>;
  struct waiting_run {
    msg::run_request request;
    msg::run_listener listener;
    report_promise promise;
  };

  caf::result<msg::run_report> take(msg::run_request& request, msg::run_listener& listener);
  void admit(waiting_run run);
  enum class state : uint8_t { goes_on, rests };
  bool may_have(uint64_t client, state which) const;
  void queue(waiting_run run);
  void start(waiting_run run);
  void report(uint64_t run, msg::run_report report);
  bool rest(uint64_t run);
  void go_on(uint64_t run);
  void end_overdue(uint64_t run);
  size_t places_taken() const;
  void start_waiting();
  void execution_died(const caf::down_msg& m);
  void give_up_waiting(uint64_t run, msg::errc code, const std::string& why);
  void refuse_all();
  caf::result<bool> stop();

  struct running_run {
    msg::execution_actor execution;
    report_promise promise;
    uint64_t client = 0;
    std::chrono::milliseconds report_max{0}; ///< so long it may take, unless it rests
    bool rests = false;                      ///< it waits for a person, and has no place
    bool is_overdue = false;                 ///< it should have reported, and has a last moment for it
    bool has_rested = false;                 ///< since it was looked whether it should have ended
  };

  msg::admission_actor::pointer self_;
  admission_options options_;
  std::map<uint64_t, running_run> running_;
  std::map<uint64_t, waiting_run> asking_;    ///< the rate limiter is asked
  resilience::fair_queue<waiting_run> queue_; ///< clients take turns
  std::vector<reply_promise<bool>> want_stop_;
  uint64_t finished_ = 0;
  bool stopping_ = false;
};

msg::admission_actor::behavior_type admission(msg::admission_actor::stateful_pointer<admission_state> self,
                                              admission_options options);

} // namespace actors
