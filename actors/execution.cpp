#include "actors/execution.hpp"

#include "actors/run/pattern_check.hpp"
#include "actors/run/type_problems.hpp"
#include "messages/limits.hpp"
#include "process/offload.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using msg::run_status;
using std::chrono::duration_cast;

namespace {

/// The sandbox answers at once; if its actor is dead the request bounces. Only so that the wait is finite, and long enough for a machine
/// that is so busy that 200 MB of output are still being read: what was printed would be lost.
constexpr std::chrono::seconds finish_timeout{8};
/// A pool answers at once, sessions when the run's turn has come or its wait is over. Only so that the wait is finite.
constexpr std::chrono::seconds guest_answer_max{10};
constexpr std::chrono::milliseconds session_answer_max = limits::run_queue_wait_most + guest_answer_max;
/// Guests that one run may find dead.
constexpr uint32_t guests_lost_max = 3;

} // namespace

caf::timespan execution_state::time_left() const { return time_.time_to_answer(self_->clock().now()); }

std::chrono::microseconds execution_state::time_since(caf::actor_clock::time_point then) const {
  return duration_cast<std::chrono::microseconds>(self_->clock().now() - then);
}

caf::result<msg::run_report> execution_state::run(msg::run_request& request, msg::run_listener& listener) {
  request_ = std::move(request);
  listener_ = std::move(listener);
  time_ = {self_->clock().now(), std::chrono::milliseconds{request_.timeout_ms}};
  promise_ = self_->make_response_promise<msg::run_report>();
  session_.name = request_.session;
  self_->send(options_.connector, msg::attach_atom::value, request_.id);
  check_patterns();
  return promise_;
}

/// What others call on our thread, once: the answer comes as a message, and `then` hears of it.
std::function<void(msg::outcome<msg::document>)> execution_state::by_message(std::function<void(msg::outcome<msg::document>)> then) {
  auto number = ++awaited_last_;
  awaited_.emplace(number, std::move(then));
  return [me = caf::actor_cast<msg::execution_actor>(self_), number](msg::outcome<msg::document> answer) {
    caf::anon_send(me, msg::reply_atom::value, number, std::move(answer));
  };
}

/// Has it made on another thread; `then` hears what was made, or why it could not be.
void execution_state::elsewhere(std::function<msg::outcome<msg::document>()> make, std::function<void(msg::outcome<msg::document>)> then) {
  auto made = std::make_shared<msg::outcome<msg::document>>();
  options_.offload([made, make = std::move(make)] { *made = make(); },
                   [made, tell = by_message(std::move(then))](msg::fault problem) {
                     tell(problem.code == errc::none ? std::move(*made) : msg::outcome<msg::document>{std::move(problem)});
                   });
}

// ---- before the run --------------------------------------------------------------------------

void execution_state::check_patterns() {
  if (options_.patterns == config::pattern_policy::off)
    return check_types();
  auto found = std::make_shared<std::vector<code_policy::violation>>();
  auto judge = [this, found](const msg::outcome<msg::document>& looked) {
    if (ended_)
      return;
    auto verdict = run::judge_patterns(options_.patterns, looked.error, *found);
    for (auto& warning : verdict.warnings)
      notes_.add(std::move(warning));
    if (verdict.refused)
      return finish(std::move(*verdict.refused));
    check_types();
  };
  auto look = [found, code = request_.code, lang = request_.lang] {
    *found = run::find_patterns(lang, code);
    return msg::outcome<msg::document>{};
  };
  if (request_.code.size() > run::inline_code_bytes_max)
    return elsewhere(look, judge);
  judge(look());
}

/// Nothing is started for it: what is not known yet has any type.
void execution_state::check_types() {
  if (!request_.type_check)
    return ask_for_guest();
  auto checked = [this](const msg::outcome<msg::document>& problems) {
    stop_check_ = nullptr;
    guest_pending_ = false;
    if (ended_)
      return self_->quit();
    if (auto misfit = run::judge_types(problems))
      return finish(std::move(*misfit));
    ask_for_guest();
  };
  auto check = [this, checked](msg::tool_list tools) {
    if (ended_ || !options_.check_types)
      return checked(fault{errc::runtime_missing, "types can not be checked here"});
    stop_check_ = options_.check_types({request_.code, std::move(tools), time_.timeout()}, by_message(checked));
  };
  guest_pending_ = true;
  msg::tool_query all;
  all.allowed = request_.allowed;
  self_->request(options_.connector, time_.timeout(), msg::search_atom::value, std::move(all))
    .then([check](msg::outcome<msg::tool_matches>& known) { check(known.ok() ? std::move(known.value.tools) : msg::tool_list{}); },
          [check](caf::error&) { check({}); });
}

void execution_state::ask_for_guest() {
  guest_pending_ = true;
  msg::guest_request wish{request_.lang, request_.wanted, request_.session, request_.reset_session};
  auto answered = [this](msg::outcome<msg::guest_lease>& lease) {
    guest_pending_ = false;
    if (lease.ok())
      return begin(std::move(lease.value));
    if (ended_)
      return self_->quit();
    finish(run::failure(lease.error.code, lease.error.message));
  };
  auto failed = [this](caf::error&) {
    guest_pending_ = false;
    if (ended_)
      return self_->quit();
    finish(run::failure(errc::internal, "no guest could be had for this run"));
  };
  if (request_.session.empty())
    self_->request(options_.guests.pools.at(request_.lang), guest_answer_max, msg::take_atom::value, std::move(wish)).then(answered, failed);
  else
    self_->request(options_.guests.sessions, session_answer_max, msg::take_atom::value, std::move(wish)).then(answered, failed);
}

/// The run's time begins here.
void execution_state::begin(msg::guest_lease lease) {
  sandbox_ = std::move(lease.sandbox);
  if (!lease.session.name.empty())
    session_ = std::move(lease.session);
  if (ended_) { // cancelled while it waited
    if (request_.session.empty())
      self_->send_exit(sandbox_, caf::exit_reason::user_shutdown);
    else
      self_->send(options_.guests.sessions, msg::cancel_atom::value, request_.lang, request_.session);
    return self_->quit();
  }
  time_ = {self_->clock().now(), time_.timeout()};
  self_->monitor(sandbox_);
  self_->send(sandbox_, msg::attach_atom::value, caf::actor_cast<msg::guest_listener>(self_));
  self_->send(sandbox_, msg::run_atom::value, msg::guest_program{request_.code, !request_.session.empty(), request_.id, options_.held_bytes_max});
  self_->delayed_send(self_, time_.patience(), msg::nearly_over_atom::value);
  self_->delayed_send(self_, time_.timeout(), msg::deadline_atom::value);
}

/// A sandbox tells its listener of the end of its guest, and ends when that is done. One that ends in order without a word had no listener yet:
/// the guest died between the grant and our message, and another one can have the program.
void execution_state::sandbox_gone(const caf::error& why) {
  if (ended_)
    return;
  if (why || ++guests_lost_ > guests_lost_max)
    return finish(run::failure(errc::internal, "the sandbox of this run ended unexpectedly"));
  sandbox_ = nullptr;
  if (!request_.session.empty())
    release({}); // it knows
  ask_for_guest();
}

// ---- frames of the guest ---------------------------------------------------------------------

void execution_state::frame(const msg::document& frame) {
  auto id = proxy::request_id(frame);
  if (ended_ && done_ && id != 0) // of a session, whose guest lives on
    return reply(id, fault{errc::cancelled, "the run that this belongs to is over"});
  if (ended_)
    return; // frames after the end change nothing
  if (asked_.contains(id))
    return broke_channel("a request id twice");
  auto parsed = proxy::parse_frame(frame);
  std::visit([this](auto& f) { handle(f); }, parsed);
}

void execution_state::handle(proxy::guest_mistake& mistake) { reply(mistake.id, std::move(mistake.why)); }

void execution_state::handle(proxy::guest_violation& violation) { broke_channel(violation.problem); }

void execution_state::broke_channel(const std::string& sent) {
  finish(run::failure(errc::guest_protocol, "the program broke the control channel: it sent " + sent));
}

void execution_state::handle(proxy::guest_done& done) {
  done_ = true;
  has_result_ = done.has_result;
  result_ = std::move(done.result);
  finish(run::ending_of(done));
}

// ---- the end ---------------------------------------------------------------------------------

/// Of a run that is over.
void execution_state::end_call(uint64_t id, const fault& why) {
  auto ended = open_.extract(id);
  if (!ended)
    return;
  auto& call = ended.mapped();
  tracker_.failed(call.full_name, time_since(call.started), why.message);
  record_call(call, why);
}

/// Of which nothing has been heard by now: whether they had been sent is not known, but that those which are not resolved never left.
void execution_state::end_calls() {
  while (!open_.empty())
    end_call(open_.begin()->first, {errc::cancelled, open_.begin()->second.server.empty() ? msg::run_ended_unsent : msg::run_ended_unanswered});
}

/// The first cause counts. Calls are ended wherever they are. An answer that comes before the report says whether the call had been sent.
void execution_state::finish(run::ending how) {
  if (std::exchange(ended_, true))
    return;
  ending_ = std::move(how);
  note_given_up();
  if (stop_check_)
    stop_check_();
  for (auto* each : {&searches_, &remembering_, &resolves_, &descriptions_, &server_lists_})
    each->stop();
  leave_outputs();
  self_->send(options_.connector, msg::finish_atom::value, request_.id);
  if (done_)
    answer_all({errc::cancelled, msg::run_ended_unanswered});
  if (!sandbox_)
    return end_sampling({});
  auto output = [this](msg::guest_output& o) {
    if (!request_.session.empty())
      leave_session();
    end_sampling(std::move(o));
  };
  auto none = [this](caf::error&) {
    if (!request_.session.empty())
      lose_session("its process ended");
    end_sampling({});
  };
  if (done_ && !request_.session.empty())
    self_->request(sandbox_, finish_timeout, msg::collect_atom::value).then(output, none);
  else
    self_->request(sandbox_, finish_timeout, msg::finish_atom::value).then(output, none);
}

/// The session gets its guest back, or hears why it has none any more.
void execution_state::leave_session() {
  if (done_)
    release({});
  else
    lose_session(ending_.error.message.empty() ? "its process ended" : ending_.error.message);
}

void execution_state::lose_session(std::string because) {
  session_.state = msg::session_state::lost;
  session_.reason = std::move(because);
  release(session_.reason);
}

void execution_state::release(std::string lost_because) {
  self_->send(options_.guests.sessions, msg::release_atom::value, request_.lang, request_.session, std::move(lost_because));
}

void execution_state::report(msg::guest_output output, msg::sampling_report sampling) {
  end_calls();
  msg::run_report r;
  r.status = ending_.status;
  r.exit_code = ending_.exit_code;
  r.error = ending_.never_ready ? run::start_failure(request_.lang, output.diagnostics.head) : std::move(ending_.error);
  r.has_result = has_result_;
  r.result = std::move(result_);
  r.output = std::move(output.output);
  r.diagnostics = std::move(output.diagnostics);
  if (auto missing = displays_.note(); !missing.empty())
    notes_.add(std::move(missing));
  r.displayed = std::move(displays_).take();
  r.session = std::move(session_);
  r.sampling = std::move(sampling);
  std::move(notes_).append_to(r.diagnostics);
  r.duration_us = static_cast<uint64_t>(time_since(time_.begun()).count());
  r.tools = std::move(tracker_).take();
  record_run(r);
  r.is_recorded = options_.audit != nullptr;
  read_on();
  promise_.deliver(std::move(r));
  if (!guest_pending_) // else when it comes, to give it back
    self_->quit();
}

/// What it has asked of them and was not begun is not done any more.
void execution_state::leave_outputs() {
  if (options_.outputs)
    self_->send(options_.outputs, msg::cancel_atom::value, request_.id);
}

/// A mistake of ours, or no memory, is the end of this run only: its client hears of it. The sandbox dies with its listener.
caf::error execution_state::failed(const std::exception_ptr& thrown) {
  auto why = process::fault_of(thrown);
  leave_outputs();
  if (promise_.pending()) {
    msg::run_report r;
    r.status = run_status::error;
    r.exit_code = 1;
    r.error = run::reason(why.code, "the run was ended: " + why.message);
    promise_.deliver(std::move(r));
  }
  return caf::exit_reason::unhandled_exception;
}

msg::execution_actor::behavior_type execution_state::make_behavior(execution_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg& down) { sandbox_gone(down.reason); });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    if (stop_check_)
      stop_check_();
    if (promise_.pending()) {
      if (!std::exchange(ended_, true))
        ending_ = {run_status::cancelled, run::reason(errc::shutting_down, "the server is being stopped"), 1};
      if (sandbox_)
        self_->send_exit(sandbox_, m.reason);
      guest_pending_ = false;
      return report({}, {});
    }
    self_->quit(std::move(m.reason));
  });
  self_->set_exception_handler([this](std::exception_ptr& thrown) { return failed(thrown); });
  return {
    [this](msg::run_atom, msg::run_request& request, msg::run_listener& listener) { return run(request, listener); },
    [this](msg::cancel_atom) {
      finish({run_status::cancelled, run::reason(errc::cancelled, "the request was cancelled"), 1});
    },
    [this](msg::nearly_over_atom) { lose_patience(); },
    [this](msg::deadline_atom) { time_is_over(); },
    [this](msg::reply_atom, uint64_t id, msg::outcome<msg::document>& answer) {
      if (auto then = awaited_.extract(id))
        then.mapped()(std::move(answer));
    },
    [this](msg::frame_atom, const msg::document& f) -> caf::result<bool> {
      frame(f);
      if (next_frame_.pending())
        return next_frame_;
      return true;
    },
    [this](msg::exit_atom, const msg::guest_exit& how) {
      memory_bytes_ = run::memory_bytes_of(how);
      finish(run::ending_of(how));
    },
    [this](msg::call_atom, msg::tool_ref& tool, msg::document& arguments) { return call_for_model(tool, arguments); },
    [this](msg::tools_atom, const std::vector<std::string>& patterns) { return tools_for_model(patterns); },
    [this](msg::progress_atom, const msg::tool_progress& p) { progressed(p); },
  };
}

msg::execution_actor::behavior_type execution(msg::execution_actor::stateful_pointer<execution_state> self, execution_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
