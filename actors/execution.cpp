#include "actors/execution.hpp"

#include "messages/limits.hpp"
#include "process/offload.hpp"
#include "text/utf8.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>

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
/// Answers to requests come before the run's deadline, or do not matter.
constexpr std::chrono::seconds answer_slack{5};
/// Guests that one run may find dead.
constexpr uint32_t guests_lost_max = 3;
/// Different notes of ours in one report.
constexpr size_t notes_max = 20;

msg::program_error reason(errc code, std::string message) {
  msg::program_error e;
  e.code = code;
  e.message = std::move(message);
  return e;
}

std::string memory_limit(const msg::guest_exit& how) {
  auto mib = how.memory_mib_max > 0 ? how.memory_mib_max : limits::guest_memory_bytes_max >> 20;
  return "memory limit of " + std::to_string(mib) + " MiB (sandbox.memoryMb)";
}

/// bubblewrap passes an exit code on, and a signal as 128 + number. What the limit of one process does (RLIMIT_DATA: an
/// allocation fails) can only be guessed from how the interpreter takes it; SIGKILL only where nobody counts the memory of the whole guest.
std::string describe(const msg::guest_exit& how) {
  auto signal = how.by_signal ? how.code : how.code > 128 && how.code < 128 + NSIG ? how.code - 128 : 0;
  if (signal == 0)
    return "the program ended its process with exit code " + std::to_string(how.code) + " before it was done";
  auto text = "the program's process was ended by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  bool memory = (signal == SIGKILL && how.memory_mib_max == 0) || signal == SIGTRAP || signal == SIGABRT || signal == SIGSEGV || signal == SIGILL;
  return text + (memory ? "; that is how it looks when the " + memory_limit(how) + " is reached" : "");
}

} // namespace

caf::timespan execution_state::time_left() const {
  auto deadline = started_ + std::chrono::milliseconds{request_.timeout_ms};
  return std::max<caf::timespan>(deadline - self_->clock().now(), caf::timespan{0}) + answer_slack;
}

std::chrono::microseconds execution_state::time_since(caf::actor_clock::time_point then) const {
  return duration_cast<std::chrono::microseconds>(self_->clock().now() - then);
}

caf::result<msg::run_report> execution_state::run(msg::run_request& request, msg::run_listener& listener) {
  request_ = std::move(request);
  listener_ = std::move(listener);
  started_ = self_->clock().now();
  promise_ = self_->make_response_promise<msg::run_report>();
  session_.name = request_.session;
  self_->send(options_.connector, msg::attach_atom::value, request_.id);
  check_patterns();
  return promise_;
}

void execution_state::start() {
  if (request_.type_check)
    ask_for_types();
  else
    ask_for_guest();
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
    finish({run_status::error, reason(lease.error.code, lease.error.message), 1});
  };
  auto failed = [this](caf::error&) {
    guest_pending_ = false;
    if (ended_)
      return self_->quit();
    finish({run_status::error, reason(errc::internal, "no guest could be had for this run"), 1});
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
  started_ = self_->clock().now();
  self_->monitor(sandbox_);
  self_->send(sandbox_, msg::attach_atom::value, caf::actor_cast<msg::guest_listener>(self_));
  self_->send(sandbox_, msg::run_atom::value, msg::guest_program{request_.code, !request_.session.empty(), request_.id, options_.held_bytes_max});
  set_deadline();
}

/// A sandbox tells its listener of the end of its guest, and ends when that is done. One that ends in order without a word had no listener yet:
/// the guest died between the grant and our message, and another one can have the program.
void execution_state::sandbox_gone(const caf::error& why) {
  if (ended_)
    return;
  if (why || ++guests_lost_ > guests_lost_max)
    return finish({run_status::error, reason(errc::internal, "the sandbox of this run ended unexpectedly"), 1});
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
  finish({run_status::error, reason(errc::guest_protocol, "the program broke the control channel: it sent " + sent), 1});
}

void execution_state::handle(proxy::guest_done& done) {
  done_ = true;
  has_result_ = done.has_result;
  result_ = std::move(done.result);
  if (!done.failed)
    return finish({run_status::success, {}, 0});
  if (done.error.name.empty())
    done.error.name = "Error";
  finish({run_status::error, std::move(done.error), done.exit_code});
}

// ---- the end ---------------------------------------------------------------------------------

void execution_state::guest_ended(const msg::guest_exit& how) {
  memory_bytes_ = how.out_of_memory ? uint64_t{how.memory_mib_max} << 20 : 0;
  if (how.out_of_memory && how.was_ready)
    return finish({run_status::error, reason(errc::limit_exceeded, "the program was ended: " + memory_limit(how) + " reached"), how.code});
  if (!how.problem.empty())
    return finish({run_status::error,
                   reason(how.cause != errc::none ? how.cause
                          : how.was_ready         ? errc::guest_protocol
                                                  : errc::runtime_missing,
                          how.was_ready ? "the program's process " + how.problem : how.problem),
                   1});
  if (!how.was_ready) {
    sandbox_failed_ = true; // what it said of it is in its output
    return finish({run_status::error, {}, how.code});
  }
  if (!how.by_signal && how.code == 0) // the program ended its own process, and meant it well
    return finish({run_status::success, {}, 0});
  finish({run_status::error, reason(errc::guest_died, describe(how)), how.code});
}

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
void execution_state::finish(ending how) {
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

msg::program_error execution_state::start_failure(const std::string& diagnostics) const {
  auto text = "the sandbox could not start a " + std::string{to_string(request_.lang)} + " guest";
  return reason(errc::runtime_missing, text + (diagnostics.empty() ? "" : ": " + text::quoted(diagnostics, limits::child_quote_bytes_max)));
}

void execution_state::note(std::string line) {
  if (notes_.size() < notes_max && std::find(notes_.begin(), notes_.end(), line) == notes_.end())
    notes_.push_back(std::move(line));
}

void execution_state::report(msg::guest_output output, msg::sampling_report sampling) {
  end_calls();
  msg::run_report r;
  r.status = ending_.status;
  r.exit_code = ending_.exit_code;
  r.error = sandbox_failed_ ? start_failure(output.diagnostics.head) : std::move(ending_.error);
  r.has_result = has_result_;
  r.result = std::move(result_);
  r.output = std::move(output.output);
  r.diagnostics = std::move(output.diagnostics);
  if (display_refused_)
    note("Some of what was displayed is missing: one run may display " + std::to_string(limits::display_blocks_max) + " blocks of "
         + std::to_string(limits::display_bytes_max >> 20) + " MiB in all.");
  r.displayed = std::move(displayed_);
  r.session = std::move(session_);
  r.sampling = std::move(sampling);
  if (!hint_.empty())
    note(hint_);
  for (auto& line : notes_)
    (r.diagnostics.dropped_bytes > 0 ? r.diagnostics.tail : r.diagnostics.head) += line + "\n";
  r.duration_us = static_cast<uint64_t>(time_since(started_).count());
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
    r.error = reason(why.code, "the run was ended: " + why.message);
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
        ending_ = {run_status::cancelled, reason(errc::shutting_down, "the server is being stopped"), 1};
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
      finish({run_status::cancelled, reason(errc::cancelled, "the request was cancelled"), 1});
    },
    [this](msg::nearly_over_atom) { lose_patience(); },
    [this](msg::deadline_atom) { time_is_over(); },
    [this](msg::reply_atom, uint64_t id, msg::outcome<msg::document>& unwrapped) {
      if (id == display_id)
        looked(unwrapped.error);
      else if (id == check_id && found_)
        patterns_checked(unwrapped.error);
      else if (id == check_id)
        types_checked(unwrapped);
      else if (open_.contains(id))
        settle(id, std::move(unwrapped));
      else if (describing_.erase(id) > 0)
        tool_described(id, std::move(unwrapped));
      else if (asked_.contains(id))
        described(id, std::move(unwrapped));
    },
    [this](msg::frame_atom, const msg::document& f) -> caf::result<bool> {
      frame(f);
      if (next_frame_.pending())
        return next_frame_;
      return true;
    },
    [this](msg::exit_atom, const msg::guest_exit& how) { guest_ended(how); },
    [this](msg::call_atom, msg::tool_ref& tool, msg::document& arguments) { return call_for_model(tool, arguments); },
    [this](msg::tools_atom, const std::vector<std::string>& patterns) { return tools_for_model(patterns); },
    [this](msg::progress_atom, const msg::tool_progress& p) { progressed(p); },
  };
}

msg::execution_actor::behavior_type execution(msg::execution_actor::stateful_pointer<execution_state> self, execution_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
