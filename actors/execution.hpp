// One run: starts its sandbox, answers its requests, ends it in time, and reports once.
#pragma once

#include "actors/background.hpp"
#include "actors/run/deadline.hpp"
#include "actors/run/displays.hpp"
#include "actors/run/ending.hpp"
#include "actors/run/notes.hpp"
#include "actors/run/turns.hpp"
#include "actors/sampling_session.hpp"
#include "config/settings.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"
#include "proxy/allowlist.hpp"
#include "proxy/call_tracker.hpp"
#include "proxy/failing_calls.hpp"
#include "proxy/guest_frames.hpp"
#include "proxy/time_out.hpp"

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace actors {

/// Where guests come from.
struct guest_sources {
  std::map<msg::language, msg::sandbox_pool_actor> pools;
  msg::sessions_actor sessions;
};

/// What a program is checked against: the tools that are known.
struct check_request {
  std::string code;
  msg::tool_list tools;
  std::chrono::milliseconds timeout{};
};
/// Checks types elsewhere. `done` gets a list of `{line, column, message}`, on the main thread, once. What it returns ends the check
/// early; `done` is called then, too.
using type_checker = std::function<std::function<void()>(check_request, std::function<void(msg::outcome<msg::document>)> done)>;

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
  std::shared_ptr<const sampling_rules> sampling;                       ///< null: nobody can be asked
  std::chrono::milliseconds timeout_max = msg::limits::run_timeout_max; ///< that a run may ask for: told to one whose time is over
};

class execution_state {
public:
  static inline const char* name = "execution";
  /// Requests of one run that the catalog has at a time, and the store of memory: a list of all tools takes tens of milliseconds.
  static constexpr size_t searches_at_once_max = 8;
  static constexpr size_t remembering_at_once_max = 8;
  static constexpr size_t resolves_at_once_max = 16, descriptions_at_once_max = 8, server_lists_at_once_max = 1;
  /// Tools that a search has found, described at once: more than that on another thread.
  static constexpr size_t described_at_once_max = 50;
  /// Calls that models want are counted from here; a guest's numbers are below.
  static constexpr uint64_t model_call_first = uint64_t{1} << 63;

  explicit execution_state(msg::execution_actor::pointer self) : self_(self) {}
  msg::execution_actor::behavior_type make_behavior(execution_options options);

private:
  /// Until the call has ended; only the digest of large ones.
  struct call_arguments {
    msg::document value;
    std::string digest;
  };
  /// A call of the guest that has no answer yet.
  struct open_call {
    std::string full_name;
    std::string server; ///< empty: not resolved yet, nothing to cancel
    caf::actor_clock::time_point started;
    msg::child_method method = msg::child_method::call_tool;
    uint64_t call_fingerprint = 0;             ///< of tool and arguments
    std::shared_ptr<call_arguments> arguments; ///< for the record
    size_t held_bytes = 0;                     ///< of arguments, and of a result that is being unwrapped
  };
  /// Tools that a model may get, while they are looked for.
  struct tools_wanted {
    std::vector<std::string> patterns;
    proxy::server_names servers;                                         ///< that the run may use
    std::shared_ptr<const proxy::allowlist> filter;                      ///< of the patterns
    std::map<std::pair<std::string, std::string>, msg::tool_info> found; ///< by server and name
    msg::fault problem;
    size_t outstanding = 0;
    caf::typed_response_promise<msg::outcome<msg::tool_list>> promise;
  };

  caf::result<msg::run_report> run(msg::run_request& request, msg::run_listener& listener);
  std::function<void(msg::outcome<msg::document>)> by_message(std::function<void(msg::outcome<msg::document>)> then);
  void elsewhere(std::function<msg::outcome<msg::document>()> make, std::function<void(msg::outcome<msg::document>)> then);
  void check_patterns();
  void check_types();
  void ask_for_guest();
  void begin(msg::guest_lease lease);
  void sandbox_gone(const caf::error& reason);

  // ---- frames of the guest
  void frame(const msg::document& frame);
  void handle(proxy::guest_call& call);
  void handle(proxy::guest_search& search);
  void begin_search(proxy::guest_search search);
  void describe_tool(proxy::guest_schema schema);
  void tool_described(uint64_t id, msg::outcome<msg::document> doc);
  void list_servers(uint64_t id);
  void searched(uint64_t id, msg::tool_detail detail, msg::outcome<msg::tool_matches>& found);
  void described(uint64_t id, msg::outcome<msg::document> docs);
  void handle(proxy::guest_schema& schema);
  void handle(proxy::guest_servers& servers);
  void handle(proxy::guest_memory& memory);
  void begin_remembering(proxy::guest_memory memory);
  void handle(proxy::guest_output_request& output);
  void handle(proxy::guest_sample& sample);
  void handle(proxy::guest_sample_stream& stream);
  void handle(proxy::guest_display& display);
  void read_on();
  void handle(proxy::guest_mistake& mistake);
  void handle(proxy::guest_done& done);
  void handle(proxy::guest_violation& violation);
  void broke_channel(const std::string& sent);
  bool admit(uint64_t id);
  void answer(uint64_t id, msg::outcome<msg::document> result);
  void answer_all(const msg::fault& why);
  void hold(size_t bytes);
  void let_go(size_t bytes);
  void tell_held();
  void reply(uint64_t id, msg::outcome<msg::document> answer);

  // ---- models
  msg::fault begin_sampling();
  caf::result<msg::outcome<msg::document>> call_for_model(msg::tool_ref& tool, msg::document& arguments);
  caf::result<msg::outcome<msg::tool_list>> tools_for_model(const std::vector<std::string>& patterns);
  void search_for_model(const std::shared_ptr<tools_wanted>& wanted);
  void choose_for_model(const std::shared_ptr<tools_wanted>& wanted, msg::tool_list tools, std::function<void(msg::fault)> done);

  // ---- one tool call
  void begin_call(proxy::guest_call call);
  void resolve(proxy::guest_call call);
  void dispatch(uint64_t id, msg::document arguments, const msg::tool_info& tool);
  void returned(uint64_t id, msg::outcome<msg::tool_result>& result);
  void settle(uint64_t id, msg::outcome<msg::document> answer);
  static std::string tool_of(const open_call& call);
  void learn(const open_call& call, const msg::document& result);
  void progressed(const msg::tool_progress& progress);
  void report_progress(std::string message);

  // ---- the record
  msg::audit_event event_of(msg::audit_kind kind) const;
  std::shared_ptr<call_arguments> keep_arguments(const msg::document& arguments);
  void record_call(const open_call& call, const msg::fault& error);
  void record_run(const msg::run_report& report);

  // ---- time
  /// An open call, by the guest's id.
  struct waiting {
    uint64_t id = 0;
    proxy::waiting_call call;
  };
  void ask_what_starts(std::function<void(std::vector<waiting>)> then);
  void lose_patience();
  void time_is_over();

  // ---- the end
  void leave_outputs();
  caf::error failed(const std::exception_ptr& thrown);
  void finish(run::ending how);
  void end_call(uint64_t id, const msg::fault& why);
  void end_calls();
  void note_given_up();
  void leave_session();
  void lose_session(std::string because);
  void release(std::string lost_because);
  void end_sampling(msg::guest_output output);
  void report(msg::guest_output output, msg::sampling_report sampling);
  caf::timespan time_left() const;
  std::chrono::microseconds time_since(caf::actor_clock::time_point then) const;

  msg::execution_actor::pointer self_;
  execution_options options_;
  msg::run_request request_;
  msg::run_listener listener_;
  caf::typed_response_promise<msg::run_report> promise_;
  msg::sandbox_actor sandbox_; ///< null: none yet
  msg::session_note session_;
  caf::actor_clock::time_point last_progress_;
  run::deadline time_;
  std::map<uint64_t, open_call> open_;                ///< by the guest's id
  run::turns searches_{searches_at_once_max};         ///< of the catalog
  run::turns remembering_{remembering_at_once_max};   ///< of the store of memory
  run::turns resolves_{resolves_at_once_max};         ///< of calls, before they go to their servers
  run::turns descriptions_{descriptions_at_once_max}; ///< of single tools
  run::turns server_lists_{server_lists_at_once_max};
  std::set<uint64_t> asked_; ///< calls and other requests that have no answer yet
  uint32_t calls_ = 0;
  uint32_t calls_ended_ = 0;
  proxy::call_tracker tracker_;
  proxy::failing_calls failing_;
  std::map<std::string, uint32_t> learned_; ///< results told to the catalog, by full name
  uint64_t learned_bytes_ = 0;
  msg::sampling_session_actor sampling_; ///< null: no model has been asked
  uint64_t model_calls_ = 0;
  std::map<uint64_t, caf::typed_response_promise<msg::outcome<msg::document>>> for_models_; ///< calls that a model wanted
  std::shared_ptr<bool> goes_on_ = std::make_shared<bool>(true);                            ///< until the end; for what is done bit by bit
  run::displays displays_;
  caf::typed_response_promise<bool> next_frame_; ///< the guest's reader waits until what it displays has been looked at
  uint64_t held_bytes_ = 0;                      ///< of open requests and what is displayed; what the sandbox holds comes on top
  uint64_t told_bytes_ = 0;                      ///< that the sandbox knows of
  run::notes notes_;
  std::map<uint64_t, std::function<void(msg::outcome<msg::document>)>> awaited_; ///< what follows on answers that come by message
  uint64_t awaited_last_ = 0;
  std::function<void()> stop_check_; ///< empty: no check is running
  bool guest_pending_ = false;       ///< asked for and not answered yet
  uint32_t guests_lost_ = 0;         ///< that died before they had the program
  bool ended_ = false;
  bool done_ = false; ///< the program came to its end; a session goes on
  run::ending ending_;
  uint64_t memory_bytes_ = 0; ///< of the guest; 0: not known
  uint32_t refusals_ = 0;     ///< told to the record
  bool has_result_ = false;
  msg::document result_;
};

msg::execution_actor::behavior_type execution(msg::execution_actor::stateful_pointer<execution_state> self, execution_options options);

} // namespace actors
