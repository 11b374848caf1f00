// One run whose guest, connector and sessions are fakes.
#pragma once

#include "actors/execution.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/unexpected.hpp"

#include <boost/json.hpp>

namespace execution_fakes {

using namespace std::literals;
using namespace testing_support;
namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::run_status;
using tool_result = msg::outcome<msg::tool_info>;

/// What the fake guest and the fake connector have heard; shared with their actors.
struct world {
  msg::guest_listener listener;
  std::vector<std::pair<uint64_t, msg::outcome<msg::document>>> replies;
  std::vector<msg::tool_request> calls;
  std::vector<msg::login_request> wanted_logins;
  std::vector<caf::typed_response_promise<msg::outcome<bool>>> open_logins;
  msg::outcome<bool> login; ///< what comes of the next ones
  int refusals = 0;         ///< of the next calls of `private`, for want of a login
  std::vector<msg::call_key> cancelled;
  std::vector<uint64_t> ended_runs;
  size_t unsent_calls = 0;          ///< so many of the last ones wait for their server when the run ends
  std::vector<std::string> learned; ///< tools and results
  std::vector<caf::typed_response_promise<msg::outcome<msg::tool_result>>> open_calls;
  std::vector<std::string> released; ///< why the session's guest is lost, each time it was given back
  std::vector<msg::guest_request> wishes;
  std::vector<caf::typed_response_promise<msg::outcome<msg::guest_lease>>> waiting_for_session;
  std::vector<msg::sandbox_actor> sandboxes; ///< of sessions
  int finished = 0;
  int collected = 0;
  bool kept = false;
  uint64_t held_bytes_max = 0;
  std::vector<uint64_t> held; ///< bytes that the run has said it holds
  bool session_is_busy = false;
  std::string warning;  ///< of the results of calls
  msg::tool_list found; ///< by a search
  bool answers_calls = true;
  uint32_t starting_ms = 0; ///< of the server of every call; 0: it runs
  msg::document envelope;   ///< of calls that are answered late
  bool answers_searches = true;
  std::vector<caf::typed_response_promise<msg::outcome<msg::tool_matches>>> open_searches;
  bool has_begun = true;      ///< the program in the sandbox
  bool needs_consent = false; ///< every call
  int dead_guests = 0;        ///< so many of the next ones die before they have a listener
};

inline msg::sandbox_actor::behavior_type fake_sandbox(msg::sandbox_actor::pointer self, std::shared_ptr<world> w) {
  bool is_dead = w->dead_guests > 0;
  w->dead_guests -= is_dead;
  return {
    [self, w, is_dead](msg::attach_atom, const msg::guest_listener& listener) {
      if (is_dead) // as the real one does when its guest has died without a listener
        self->quit();
      else
        w->listener = listener;
    },
    [w](msg::run_atom, const msg::guest_program& program) {
      w->kept = program.keep;
      w->held_bytes_max = program.held_bytes_max;
    },
    [w](msg::reply_atom, uint64_t id, const msg::outcome<msg::document>& answer) {
      w->replies.emplace_back(id, answer);
    },
    [w](msg::hold_atom, uint64_t bytes) { w->held.push_back(bytes); },
    [w](msg::collect_atom) {
      ++w->collected;
      return msg::guest_output{};
    },
    [self, w](msg::finish_atom) {
      ++w->finished;
      self->quit();
      msg::guest_output out;
      out.output.head = "printed so far";
      return out;
    },
    [w](msg::phase_atom) { return w->has_begun; },
    [](msg::frame_atom, const msg::document&) { return unexpected("frame", true); },
    [](msg::audit_atom, const msg::audit_event&) { unexpected("audit"); },
    [](msg::exit_atom, const msg::guest_exit&) { unexpected("exit"); },
  };
}

inline msg::connector_actor::behavior_type fake_connector(msg::connector_actor::pointer self,
                                                          std::shared_ptr<world> w) {
  return {
    [w](msg::describe_atom, const msg::tool_ref& ref, const msg::tool_filter&) {
      if (ref.full_name != "mcp__s__add")
        return tool_result{msg::fault{errc::unknown_tool, "no such tool"}};
      msg::tool_info add{"s", "add", {}, {}};
      add.needs_consent = w->needs_consent;
      return tool_result{add};
    },
    [w](msg::observe_atom, const msg::tool_ref& tool, const msg::document& result) {
      w->learned.push_back(tool.tool + " " + result.text());
    },
    [self, w](msg::call_atom, const msg::tool_request& call) -> caf::result<msg::outcome<msg::tool_result>> {
      if (call.tool.tool == "private" && w->refusals-- > 0)
        return msg::outcome<msg::tool_result>{msg::fault{errc::needs_login, "log in there"}.at("s", "private")};
      if (call.tool.tool == "unknown")
        return msg::outcome<msg::tool_result>{msg::fault{errc::unknown_tool, "no such tool"}.at("s", "unknown")};
      w->calls.push_back(call);
      if (w->needs_consent && call.agreed.tool != call.tool.tool)
        return msg::outcome<msg::tool_result>{msg::fault{errc::not_approved, "needs it"}.at("s", call.tool.tool)};
      if (w->answers_calls)
        return msg::outcome<msg::tool_result>{
          {msg::document{json::parse(R"({"structuredContent":{"sum":3}})")}, w->warning, "s", call.tool.tool}};
      auto promise = self->make_response_promise<msg::outcome<msg::tool_result>>();
      w->open_calls.push_back(promise);
      return promise;
    },
    [self, w](msg::login_atom, const msg::login_request& wanted) -> caf::result<msg::outcome<bool>> {
      w->wanted_logins.push_back(wanted);
      return w->open_logins.emplace_back(self->make_response_promise<msg::outcome<bool>>());
    },
    [w](msg::cancel_atom, msg::call_key key) { w->cancelled.push_back(key); },
    [w](msg::finish_atom, uint64_t run) {
      w->ended_runs.push_back(run);
      for (size_t unsent = std::exchange(w->unsent_calls, 0); unsent > 0; --unsent) {
        w->open_calls.back().deliver(
          msg::outcome<msg::tool_result>{msg::fault{errc::cancelled, msg::run_ended_unsent}});
        w->open_calls.pop_back();
      }
    },
    [w](msg::phase_atom, const std::vector<msg::tool_ref>& tools) {
      return std::vector<msg::server_start>(tools.size(), msg::server_start{"s", w->starting_ms, {}, 0});
    },
    [self, w](msg::search_atom, const msg::tool_query&) -> caf::result<msg::outcome<msg::tool_matches>> {
      if (!w->answers_searches)
        return w->open_searches.emplace_back(self->make_response_promise<msg::outcome<msg::tool_matches>>());
      msg::tool_matches matches;
      matches.tools = w->found;
      return msg::outcome<msg::tool_matches>{std::move(matches)};
    },
    [](msg::servers_atom) { return unexpected("servers", msg::server_list{}); },
    [](msg::servers_atom, const msg::tool_filter&) { return msg::server_list{}; },
    [](msg::tools_atom, const std::string&, const msg::listed_tools&) {
      return unexpected("tools", msg::outcome<std::vector<std::string>>{});
    },
    [](msg::attach_atom, uint64_t, const msg::client_abilities&) {},
    [](msg::reload_atom, const msg::server_entries&) { return unexpected("reload", msg::server_changes{}); },
    [w](msg::running_atom, const std::string& what, bool) { // the test's word for: answer everything that is open
      if (what == "logins")
        for (auto& promise : std::exchange(w->open_logins, {}))
          promise.deliver(w->login);
      for (auto& promise : std::exchange(w->open_calls, {}))
        promise.deliver(msg::outcome<msg::tool_result>{msg::tool_result{w->envelope, {}, {}, {}}});
      for (auto& promise : std::exchange(w->open_searches, {}))
        promise.deliver(msg::outcome<msg::tool_matches>{});
    },
    [](msg::checked_atom, uint64_t, const msg::fault&) { unexpected("checked"); },
    [](msg::index_atom, const std::string&) { return unexpected("index", msg::outcome<uint32_t>{0}); },
    [](msg::stop_atom) { return unexpected("stop", true); },
  };
}

inline msg::sandbox_pool_actor::behavior_type fake_pool(msg::sandbox_pool_actor::pointer self,
                                                        std::shared_ptr<world> w) {
  return {
    [self, w](msg::take_atom, const msg::guest_request& wish) {
      w->wishes.push_back(wish);
      return msg::outcome<msg::guest_lease>{msg::guest_lease{self->spawn(fake_sandbox, w), {}}};
    },
    [](msg::status_atom) { return unexpected("status", msg::pool_status{}); },
    [](msg::phase_atom, uint64_t, msg::guest_phase) { unexpected("phase"); },
    [](msg::tick_atom) { unexpected("tick"); },
  };
}

inline msg::sessions_actor::behavior_type fake_sessions(msg::sessions_actor::pointer self, std::shared_ptr<world> w) {
  return {
    [self, w](msg::take_atom, const msg::guest_request& wish) -> caf::result<msg::outcome<msg::guest_lease>> {
      w->wishes.push_back(wish);
      if (!w->session_is_busy)
        return msg::outcome<msg::guest_lease>{msg::guest_lease{w->sandboxes.emplace_back(self->spawn(fake_sandbox, w)),
                                                               {wish.session, msg::session_state::kept, {}}}};
      auto promise = self->make_response_promise<msg::outcome<msg::guest_lease>>();
      w->waiting_for_session.push_back(promise);
      return promise;
    },
    [w](msg::release_atom, const msg::session_key&, const std::string& why) { w->released.push_back(why); },
    [w](msg::cancel_atom, const msg::session_key&) { w->released.emplace_back("not begun"); },
    [](msg::closed_atom, const std::string&) {},
    [](msg::status_atom) { return unexpected("status", msg::session_list{}); },
    [self, w](msg::deadline_atom, uint64_t) { // the test's word for: the session is free
      for (auto& promise : std::exchange(w->waiting_for_session, {}))
        promise.deliver(msg::outcome<msg::guest_lease>{msg::guest_lease{
          w->sandboxes.emplace_back(self->spawn(fake_sandbox, w)), {"s", msg::session_state::kept, {}}}});
    },
    [](msg::tick_atom, uint64_t, uint64_t) { unexpected("tick"); },
  };
}

struct execution_test : deterministic {
  std::shared_ptr<world> w = std::make_shared<world>();
  msg::connector_actor connector = sys.spawn(fake_connector, w);
  msg::sandbox_pool_actor pool = sys.spawn(fake_pool, w);
  msg::sessions_actor sessions = sys.spawn(fake_sessions, w);
  msg::audit_log_actor record; ///< null: nothing is recorded
  msg::trace_context trace;
  msg::execution_actor execution;
  pending<msg::run_report> report;
  std::string code = "the program";
  ::config::pattern_policy policy = ::config::pattern_policy::block;
  std::shared_ptr<const actors::sampling_rules> sampling; ///< null: no model
  std::vector<std::string> confirmed;                     ///< security.confirm
  bool holds_work = false;                                ///< of the worker: `held` says that it is done
  std::function<void()> held;
  bool listens = false; ///< to how the run goes on
  std::vector<std::string> told;
  msg::run_listener::pointer listening = nullptr;                               ///< the client
  std::vector<std::pair<msg::call_key, msg::server_question>> questions;        ///< that it was asked
  std::vector<caf::typed_response_promise<msg::outcome<msg::document>>> asking; ///< its answers to them
  std::vector<msg::call_key> withdrawn;
  std::vector<msg::server_log> logged;
  std::vector<std::pair<msg::call_key, bool>> logins_over;
  bool opens_urls = false;          ///< the client
  msg::outcome<msg::document> said; ///< to the next question
  msg::fault work_fails;            ///< the next piece of work of the worker

  /// The client.
  msg::run_listener listener() {
    return sys.spawn([this](msg::run_listener::pointer client) -> msg::run_listener::behavior_type {
      listening = client;
      return {
        [this](msg::progress_atom, const msg::run_progress& p) { told.push_back(p.message); },
        [this](msg::log_atom, const msg::server_log& line) { logged.push_back(line); },
        [](msg::sample_atom, msg::call_key, const msg::model_request&) {
          return unexpected("sample", msg::outcome<msg::model_answer>{});
        },
        [this](msg::cancel_atom, msg::call_key key) {
          asking.at(key.run).deliver(said);
        }, // the test's word for: answer
        [this](msg::question_atom, msg::call_key key,
               const msg::server_question& asked) -> caf::result<msg::outcome<msg::document>> {
          questions.emplace_back(key, asked);
          return asking.emplace_back(listening->make_response_promise<msg::outcome<msg::document>>());
        },
        [this](msg::question_atom, msg::cancel_atom, msg::call_key key) { withdrawn.push_back(key); },
        [this](msg::question_atom, msg::finish_atom, msg::call_key key, bool is_there) {
          logins_over.emplace_back(key, is_there);
        },
      };
    });
  }
  void begin(bool wants_progress = false, std::string session = {}) {
    actors::execution_options o;
    o.connector = connector;
    o.guests.pools = {{msg::language::typescript, pool}};
    o.guests.sessions = sessions;
    o.patterns = policy;
    o.offload = [this](auto work, auto done) {
      if (work_fails.code == errc::none)
        work();
      if (holds_work)
        held = [done] { done({}); };
      else
        done(std::exchange(work_fails, {}));
    };
    o.audit = record;
    o.sampling = sampling;
    o.confirmed = confirmed;
    execution = sys.spawn(actors::execution, std::move(o));
    msg::run_request request;
    request.id = 7;
    request.trace = trace;
    request.timeout_ms = 5'000;
    request.wants_progress = wants_progress;
    request.session = std::move(session);
    request.code = code;
    request.client = 3;
    request.abilities.opens_urls = opens_urls;
    report = send<msg::run_report>(execution, msg::run_atom::value, std::move(request),
                                   listens ? listener() : msg::run_listener{});
    settle();
  }
  ~execution_test() override {
    self->send_exit(connector, caf::exit_reason::user_shutdown);
    self->send_exit(pool, caf::exit_reason::user_shutdown);
    self->send_exit(sessions, caf::exit_reason::user_shutdown);
    if (execution)
      self->send_exit(execution, caf::exit_reason::user_shutdown);
    connector = nullptr;
    pool = nullptr;
    sessions = nullptr;
    execution = nullptr;
    for (auto& sandbox : w->sandboxes)
      self->send_exit(sandbox, caf::exit_reason::user_shutdown);
    settle();
    *w = world{};
  }
  void frame(std::string_view text) {
    caf::anon_send(w->listener, msg::frame_atom::value, msg::document{json::parse(text)});
    settle();
  }
  void free_session() {
    self->send(sessions, msg::deadline_atom::value, uint64_t{0});
    settle();
  }
  void exit(int code, std::string problem = {}, bool was_ready = true) {
    msg::guest_exit how;
    how.code = code;
    how.was_ready = how.has_begun = was_ready;
    how.problem = std::move(problem);
    exit(how);
  }
  void exit(const msg::guest_exit& how) {
    caf::anon_send(w->listener, msg::exit_atom::value, how);
    settle();
  }
  void call(int id, std::string tool = "add") {
    frame(R"({"type":"request","id":)" + std::to_string(id) + R"(,"method":"call","params":{"server":"s","tool":")"
          + tool + R"(","args":{}}})");
  }
};

} // namespace execution_fakes
