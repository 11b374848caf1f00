#include "actors/execution.hpp"

#include "actors/model_tools.hpp"
#include "mcp/own_requests.hpp"
#include "messages/invariant.hpp"
#include "messages/limits.hpp"
#include "process/offload.hpp"
#include "proxy/time_out.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using msg::run_status;

namespace {

/// A pool answers at once, sessions when the run's turn has come or its wait is over. Only so that the wait is finite.
constexpr std::chrono::seconds guest_answer_max{10};
constexpr std::chrono::milliseconds session_answer_max = limits::run_queue_wait_most + guest_answer_max;
/// Guests that one run may find dead.
constexpr uint32_t guests_lost_max = 3;

template <class... Cases>
struct frame_cases : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
frame_cases(Cases...) -> frame_cases<Cases...>;

} // namespace

execution_state::execution_state(msg::execution_actor::pointer self)
  : self_(self),
    held_([this](uint64_t bytes) {
      if (sandbox_)
        self_->send(sandbox_, msg::hold_atom::value, bytes);
    }),
    requests_(held_, [this](uint64_t id, msg::outcome<msg::document> answer) { reply(id, std::move(answer)); }),
    routes_(self, options_, request_, listener_, time_),
    logins_([this](const std::string& server, run::logins::ended then) {
      routes_.log_in(server, [this, server, then = std::move(then)](const msg::outcome<bool>& answer) {
        asked_->login_over(server, answer.ok());
        then(answer.error);
      });
    }),
    logs_(std::string{mcp::own_program_name}, [this](msg::server_log line) {
      if (listener_)
        self_->send(listener_, msg::log_atom::value, std::move(line));
    }) {}

// ---- before the program runs -----------------------------------------------------------------

caf::result<msg::run_report> execution_state::run(msg::run_request& request, msg::run_listener& listener) {
  request_ = std::move(request);
  listener_ = std::move(listener);
  time_ = {self_->clock().now(), std::chrono::milliseconds{request_.timeout_ms}};
  promise_ = self_->make_response_promise<msg::run_report>();
  session_.name = request_.session;
  self_->send(options_.connector, msg::attach_atom::value, request_.id, request_.abilities);
  check_->begin(request_, [this](std::optional<run::ending> how) {
    if (how)
      return finish(std::move(*how));
    ask_for_guest();
  });
  return promise_;
}

void execution_state::ask_for_guest() {
  guest_pending_ = true;
  msg::guest_request wish{request_.lang, request_.wanted, request_.session, request_.reset_session, request_.owner};
  auto refused = [this](const fault& why) {
    guest_pending_ = false;
    if (ended_)
      return self_->quit();
    finish(run::failure(why.code, why.message));
  };
  auto answered = [this, refused](msg::outcome<msg::guest_lease>& lease) {
    if (!lease.ok())
      return refused(lease.error);
    guest_pending_ = false;
    begin(std::move(lease.value));
  };
  auto failed = [refused](caf::error&) { refused({errc::internal, "no guest could be had for this run"}); };
  if (request_.session.empty())
    self_->request(options_.guests.pools.at(request_.lang), guest_answer_max, msg::take_atom::value, std::move(wish))
      .then(answered, failed);
  else
    self_->request(options_.guests.sessions, session_answer_max, msg::take_atom::value, std::move(wish))
      .then(answered, failed);
}

/// The run's time begins here. One that has lost a guest has what that has left of it.
void execution_state::begin(msg::guest_lease lease) {
  sandbox_ = std::move(lease.sandbox);
  if (!lease.session.name.empty())
    session_ = std::move(lease.session);
  if (ended_) { // cancelled while it waited
    if (request_.session.empty())
      self_->send_exit(sandbox_, caf::exit_reason::user_shutdown);
    else
      self_->send(options_.guests.sessions, msg::cancel_atom::value, msg::session_of(request_));
    return self_->quit();
  }
  self_->monitor(sandbox_);
  self_->send(sandbox_, msg::attach_atom::value, caf::actor_cast<msg::guest_listener>(self_));
  self_->send(sandbox_, msg::run_atom::value,
              msg::guest_program{request_.code, !request_.session.empty(), request_.id, options_.held_bytes_max});
  time_ = {self_->clock().now() - spent_, time_.timeout()};
  if (guests_lost_ == 0)
    routes_.record_begin();
  routes_.watch_time();
}

/// A sandbox tells its listener of the end of its guest, and ends when that is done. One that ends in order without a
/// word had no listener yet: the guest died between the grant and our message, and another one can have the program.
void execution_state::sandbox_gone(const caf::error& why) {
  if (ended_)
    return;
  if (why || ++guests_lost_ > guests_lost_max)
    return finish(run::failure(errc::internal, "the sandbox of this run ended unexpectedly"));
  sandbox_ = nullptr;
  spent_ = self_->clock().now() - time_.begun();
  ask_for_guest(); // sessions know by that that it has none
}

/// What a run before has left over may end the guest of a session before it has begun this program. And one that was
/// never ready has run no program at all: what ended it may have been of that moment.
void execution_state::guest_ended(const msg::guest_exit& how) {
  if (order_.is_paused())
    return order_.add([this, how] { guest_ended(how); });
  auto ending = run::ending_of(how);
  bool is_left_over = how.ran_before && !how.has_begun && guests_lost_ < guests_lost_max;
  bool starts_again = ending.never_ready && guests_lost_ == 0;
  if (!ended_ && (is_left_over || starts_again)) {
    if (starts_again)
      spdlog::warn("a guest was not started: {}; another one is", ending.error.message);
    self_->demonitor(sandbox_.address());
    self_->send_exit(sandbox_, caf::exit_reason::user_shutdown);
    return sandbox_gone({});
  }
  memory_bytes_ = run::memory_bytes_of(how);
  finish(std::move(ending));
}

// ---- time ------------------------------------------------------------------------------------

/// A server that hangs at its start costs the calls that wait for it, and not the program.
void execution_state::lose_patience() {
  auto now = self_->clock().now();
  if (ended_ || !calls_->is_any_open() || !time_.is_nearly_over(now))
    return;
  routes_.ask_what_starts(calls_->waiting_calls(), [this, now](const std::vector<run::waiting>& calls) {
    for (auto& each : calls)
      if (auto why = time_.gives_up(each.call, now))
        calls_->give_up(each.id, std::move(*why));
  });
}

void execution_state::time_is_over() {
  if (ended_ || !time_.is_over(self_->clock().now()))
    return;
  auto others = requests_.size() - std::min(requests_.size(), calls_->open_count());
  routes_.ask_what_is_awaited(sandbox_, calls_->waiting_calls(), others, [this](const proxy::waited_for& open) {
    auto why = proxy::time_out_text(request_.timeout_ms, static_cast<uint64_t>(options_.timeout_max.count()), open);
    finish({run_status::timeout, run::reason(errc::run_timeout, std::move(why)), 1});
  });
}

// ---- the guest, and models that it has asked --------------------------------------------------

void execution_state::frame(const msg::document& frame) {
  auto id = proxy::request_id(frame);
  if (ended_ && done_ && id != 0) // of a session, whose guest lives on
    return reply(id, fault{errc::cancelled, "the run that this belongs to is over"});
  if (ended_)
    return; // frames after the end change nothing
  if (requests_.contains(id))
    return broke_channel("a request id twice");
  auto parsed = proxy::parse_frame(frame);
  auto take = frame_cases{
    [this](proxy::guest_call& call) { calls_->begin(std::move(call)); },
    [this](proxy::guest_display& block) { display(block); },
    [this](proxy::guest_mistake& mistake) { reply(mistake.id, std::move(mistake.why)); },
    [this](proxy::guest_violation& violation) { broke_channel(violation.problem); },
    [this](proxy::guest_done& done) {
      done_ = true;
      lives_on_ = !done.exits;
      has_result_ = done.has_result;
      result_ = std::move(done.result);
      finish(run::ending_of(done));
    },
    [this](proxy::guest_question& question) { person_->take(std::move(question)); },
    [this](proxy::guest_approval& approval) { person_->take(std::move(approval)); },
    [this](auto& question) { questions_->take(std::move(question)); },
  };
  std::visit(take, parsed);
}

void execution_state::broke_channel(const std::string& sent) {
  finish(run::failure(errc::guest_protocol, "the program broke the control channel: it sent " + sent));
}

void execution_state::reply(uint64_t id, msg::outcome<msg::document> answer) {
  if (auto waits = for_models_.extract(id))
    waits.mapped().deliver(std::move(answer));
  else
    self_->send(sandbox_, msg::reply_atom::value, id, std::move(answer));
}

/// A large one is looked at on another thread. What the guest does meanwhile waits, so what is displayed stays in its
/// order and before the end of the program.
void execution_state::display(proxy::guest_display& display) {
  if (!displays_.admit(display.bytes))
    return;
  held_.hold(display.block.value.held_bytes());
  auto looked = [this, block = display.block](const msg::outcome<msg::document>& found) {
    if (!displays_.looked_at(block, found.error))
      broke_channel(found.error.message);
    if (order_.is_paused())
      order_.go_on();
  };
  auto look = [block = std::move(display.block)] { return msg::outcome<msg::document>{run::look_at(block)}; };
  if (display.bytes <= limits::json_inline_bytes_max || !options_.offload)
    return looked(look());
  order_.pause();
  routes_.elsewhere(look, looked);
}

/// The answer, which gives its reader's credit back, is put off while this frame or one before it is looked at.
caf::result<bool> execution_state::take_frame(const msg::document& f) {
  bool waits = order_.is_paused();
  if (!waits)
    frame(f);
  if (!order_.is_paused())
    return true;
  auto taken = self_->make_response_promise<bool>();
  order_.add([this, taken, f = waits ? f : msg::document{}, waits]() mutable {
    if (waits)
      frame(f);
    taken.deliver(true);
  });
  return taken;
}

/// Of a server, in the middle of a call of this run.
caf::result<msg::outcome<msg::document>> execution_state::take_question(msg::server_question& asked) {
  if (ended_)
    return msg::outcome<msg::document>{fault{errc::cancelled, "the run has ended"}};
  reply_promise<msg::outcome<msg::document>> promise{self_};
  asked_->take(std::move(asked), [promise](msg::outcome<msg::document> said) { promise.deliver(std::move(said)); });
  return promise;
}

/// The same path as a call of the program: allowlist, policy, validation, limits, tracker, record.
caf::result<msg::outcome<msg::document>> execution_state::call_for_model(msg::tool_ref& tool,
                                                                         msg::document& arguments) {
  if (ended_)
    return msg::outcome<msg::document>{fault{errc::cancelled, "the run has ended"}};
  auto id = run::model_call_first + model_calls_++;
  auto promise = self_->make_response_promise<msg::outcome<msg::document>>();
  for_models_.emplace(id, promise);
  calls_->begin({id, std::move(tool), std::move(arguments)});
  return promise;
}

caf::result<msg::outcome<msg::tool_list>> execution_state::tools_for_model(std::vector<std::string>& patterns) {
  if (auto why = run::check_size(patterns); why.code != errc::none)
    return msg::outcome<msg::tool_list>{std::move(why)};
  model_tools_options o{options_.connector, caf::actor_cast<msg::execution_actor>(self_), request_.allowed,
                        options_.offload,   time_.time_to_answer(self_->clock().now()),   goes_on_};
  return self_->delegate(self_->spawn(model_tools, std::move(o)), msg::tools_atom::value, std::move(patterns));
}

// ---- behaviour -------------------------------------------------------------------------------

void execution_state::make_parts() {
  check_ = std::make_unique<run::program_check>(options_.patterns, notes_, routes_.of_check());
  run::call_limits call_limits{options_.tool_calls_max, options_.same_failures_max};
  auto of_calls = routes_.of_calls();
  of_calls.log_in = [this](const std::string& server, auto then) { logins_.want(server, std::move(then)); };
  of_calls.ended = [this](uint64_t call) {
    consents_->forget(call);
    asked_->call_ended(call);
  };
  if (!options_.confirmed.empty())
    of_calls.ask_consent = [this](run::wanted_consent call, auto then) {
      consents_->want(std::move(call), std::move(then));
    };
  calls_ = std::make_unique<run::tool_calls>(call_limits, requests_, held_, notes_, std::move(of_calls));
  auto of_requests = routes_.of_requests();
  auto describe = of_requests.describe;
  questions_ = std::make_unique<run::guest_requests>(requests_, notes_, std::move(of_requests));
  asked_ = std::make_unique<run::server_questions>(notes_, routes_.of_questions());
  auto ask_person = [this](msg::server_question question, auto then) {
    question.call.run = request_.id;
    asked_->take(std::move(question), std::move(then));
  };
  run::consent_routes of_consents{ask_person, [this](auto pause, auto then) { routes_.later(pause, std::move(then)); }};
  consents_ = std::make_unique<run::consents>(options_.confirmed, std::move(of_consents));
  run::program_question_routes of_person{ask_person, std::move(describe)};
  person_ = std::make_unique<run::program_questions>(requests_, *consents_, std::move(of_person));
}

msg::execution_actor::behavior_type execution_state::make_behavior(execution_options options) {
  options_ = std::move(options);
  make_parts();
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg& down) { sandbox_gone(down.reason); });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    check_->stop();
    if (promise_.pending()) {
      if (!std::exchange(ended_, true))
        ending_ = {run_status::cancelled, run::reason(errc::shutting_down, "the server is being stopped"), 1};
      if (sandbox_)
        self_->send_exit(sandbox_, m.reason);
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
    [this](msg::stop_atom) {
      finish({run_status::cancelled, run::reason(errc::shutting_down, "the server is being stopped"), 1});
    },
    [this](msg::hold_atom, uint64_t by_models) { held_.set_models(by_models); },
    [this](msg::nearly_over_atom) { lose_patience(); },
    [this](msg::deadline_atom) { time_is_over(); },
    [this](msg::tick_atom) { calls_->record_long_open(); },
    [this](msg::reply_atom, uint64_t id, msg::outcome<msg::document>& answer) { routes_.heard(id, std::move(answer)); },
    [this](msg::frame_atom, const msg::document& f) { return take_frame(f); },
    [this](msg::exit_atom, const msg::guest_exit& how) { guest_ended(how); },
    [this](msg::call_atom, msg::tool_ref& tool, msg::document& arguments) { return call_for_model(tool, arguments); },
    [this](msg::tools_atom, std::vector<std::string>& patterns) { return tools_for_model(patterns); },
    [this](msg::progress_atom, const msg::tool_progress& p) { calls_->hear(p); },
    [this](msg::injected_atom, msg::injected_fault& fault) { faults_.add(std::move(fault)); },
    [this](msg::log_atom, msg::server_log& line) {
      if (!ended_)
        logs_.take(std::move(line));
    },
    [this](msg::question_atom, msg::server_question& asked) { return take_question(asked); },
    [this](msg::question_atom, const msg::call_key& call, uint64_t question) { asked_->withdraw(call, question); },
    [this](msg::meant_atom, const msg::call_key& key, const msg::tool_info& tool) { calls_->hear(key.call, tool); },
  };
}

msg::execution_actor::behavior_type execution(msg::execution_actor::stateful_pointer<execution_state> self,
                                              execution_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
