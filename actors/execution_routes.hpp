// How a run asks the other actors: what its calls, its program's requests and its checks need, as functions.
#pragma once

#include "actors/background.hpp"
#include "actors/run/consents.hpp"
#include "actors/run/deadline.hpp"
#include "actors/run/guest_requests.hpp"
#include "actors/run/program_check.hpp"
#include "actors/run/program_questions.hpp"
#include "actors/run/record.hpp"
#include "actors/run/server_questions.hpp"
#include "actors/run/tool_calls.hpp"
#include "actors/sampling_session.hpp"
#include "actors/type_check.hpp"
#include "config/settings.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"

#include <caf/actor_clock.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace actors {

/// Where guests come from.
struct guest_sources {
  std::map<msg::language, msg::sandbox_pool_actor> pools;
  msg::sessions_actor sessions;
};

struct execution_options {
  msg::connector_actor connector;
  guest_sources guests;
  msg::memory_actor memory;
  msg::artifacts_actor outputs;
  background_work offload;                               ///< unwrapping of what is large, describing of what is much
  type_checker check_types;                              ///< empty: it can not be done here
  uint32_t tool_calls_max = msg::limits::tool_calls_max; ///< runs.maxToolCalls
  uint32_t same_failures_max = msg::limits::same_failures_max;
  uint64_t held_bytes_max = msg::limits::run_held_bytes_max; ///< runs.maxHeldMb
  msg::audit_log_actor audit;                                ///< null: nothing is recorded
  config::pattern_policy patterns = config::pattern_policy::block;
  std::shared_ptr<const sampling_rules> sampling; ///< null: no model can be asked
  /// security.confirm: the connector knows which calls; a run asks for all of them at once.
  std::vector<std::string> confirmed{};
  /// That a run may ask for: told to one whose time is over.
  std::chrono::milliseconds timeout_max = msg::limits::run_timeout_max;
  /// So long a client has to answer what a server asks in the middle of a call.
  std::chrono::milliseconds question_wait = msg::question_wait_max;
  bool has_faults = false; ///< a plan of faults is in force for all runs
  /// Of all runs; null: each has as many as it wants.
  std::shared_ptr<resilience::shared_turns> large_lists{};
  /// Hears of all calls that programs want, as they write them; null: nobody does.
  std::function<void(const msg::tool_ref& tool, const msg::document& arguments)> watch_calls{};
  /// Hears what we add, at its end, to what a program has printed; null: nobody does.
  std::function<void(const std::string& lines)> noted{};
};

/// A part of an execution, which outlives it with all that it refers to. What is asked is answered in the execution's
/// own context.
class execution_routes {
public:
  using answer_to = std::function<void(msg::outcome<msg::document>)>;

  execution_routes(msg::execution_actor::pointer self, const execution_options& options, msg::run_request& request,
                   const msg::run_listener& listener, run::deadline& time)
    : self_(self),
      options_(options),
      request_(request),
      listener_(listener),
      time_(time) {}

  run::check_routes of_check();
  run::call_routes of_calls();
  run::request_routes of_requests();
  run::question_routes of_questions();
  /// The client is asked to log in at that server, by way of of_questions().
  void log_in(const std::string& server, std::function<void(msg::outcome<bool>)> then);
  void later(std::chrono::milliseconds pause, std::function<void()> then);
  /// The run has a guest. Again: it has another one, which is no news.
  void record_begin();
  /// Takes the code out of the request.
  void record_end(const msg::run_report& report, const run::guest_facts& guest);
  /// Has it made on another thread; `then` hears what was made, or why it could not be.
  void elsewhere(std::function<msg::outcome<msg::document>()> make, answer_to then);
  /// The answer of that number has come, by message.
  void heard(uint64_t number, msg::outcome<msg::document> answer);
  /// `then` hears what a run waits for that has these calls and so many other requests open.
  void ask_what_is_awaited(const msg::sandbox_actor& sandbox, std::vector<run::waiting> open, size_t others,
                           std::function<void(const proxy::waited_for&)> then);
  /// `then` hears what is known of the start of these calls' servers.
  void ask_what_starts(std::vector<run::waiting> open, std::function<void(const std::vector<run::waiting>&)> then);
  /// Looks when the time is over, as it is known now.
  void watch_time();
  /// Null: no model has been asked.
  const msg::sampling_session_actor& sampling() const { return sampling_; }

private:
  template <class Answer, class Whom, class Then, class... What>
  void ask(const Whom& whom, msg::fault silence, Then then, What... what);
  answer_to by_message(answer_to then);
  msg::fault begin_sampling();
  void report_progress(msg::run_progress how_far);
  void note_end();
  void record(std::optional<msg::audit_event> event);

  msg::execution_actor::pointer self_;
  const execution_options& options_;
  msg::run_request& request_;
  const msg::run_listener& listener_;
  run::deadline& time_;
  run::record record_;
  std::map<uint64_t, answer_to> awaited_; ///< what follows on answers that come by message
  uint64_t last_awaited_ = 0;
  caf::actor_clock::time_point last_progress_;
  msg::sampling_session_actor sampling_;
  /// Of the run, for the session; while it stands still, as late as it may be.
  std::shared_ptr<caf::actor_clock::time_point> end_ = std::make_shared<caf::actor_clock::time_point>();
};

} // namespace actors
