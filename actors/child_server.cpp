#include "actors/child_server.hpp"

#include "actors/child/server_fault.hpp"
#include "actors/child/server_status.hpp"
#include "messages/limits.hpp"
#include "process/offload.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace actors {

namespace limits = msg::limits;
using child::server_fault;
using child::stage;
using child::timer;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

namespace {

/// Without a time limit: the run has one, and ends what it waits for.
auto asking_caller(child_server_behavior::self_pointer self, const msg::progress_listener& caller) {
  return [self, caller](msg::server_question question, std::function<void(msg::outcome<msg::document>)> then) {
    self->request(caller, caf::infinite, msg::question_atom::value, std::move(question))
      .then([then](msg::outcome<msg::document>& said) { then(std::move(said)); },
            [then](caf::error&) {
              then(fault{errc::cancelled, "the run that it is about has ended"});
            });
  };
}

/// What happens to the call goes to its caller.
void tell_caller(child::open_call& call, child_server_behavior::self_pointer self,
                 const msg::progress_listener& caller) {
  call.progressed = [self, caller](msg::tool_progress progress) {
    self->send(caller, msg::progress_atom::value, std::move(progress));
  };
  call.injected = [self, caller](msg::injected_fault fault) {
    self->send(caller, msg::injected_atom::value, std::move(fault));
  };
  call.logged = [self, caller](msg::server_log line) { self->send(caller, msg::log_atom::value, std::move(line)); };
  call.asked = asking_caller(self, caller);
  call.withdrawn = [self, caller, key = call.key()](uint64_t question) {
    self->send(caller, msg::question_atom::value, key, question);
  };
}

/// To the caller of the call that it hit, if there is one.
void hand_on(const child::open_call* hit, msg::injected_fault& fault) {
  if (hit && hit->injected)
    hit->injected(std::move(fault));
}

/// Of one login: what the browser and the authorization server make of it comes as messages.
std::function<void()> begin_login(child_server_behavior::self_pointer self, const child::login_factory& log_in,
                                  const msg::server_entry& entry, uint64_t number) {
  auto me = caf::actor_cast<msg::child_server_actor>(self);
  child::login_events events;
  events.page = [me, number](msg::login_page page) {
    caf::anon_send(me, msg::login_atom::value, number, std::move(page));
  };
  events.ended = [me, number](fault why) { caf::anon_send(me, msg::login_atom::value, number, std::move(why)); };
  return log_in(entry, std::move(events));
}

/// The run that asks for a login, which waits for `promise`.
child::login_waiter login_waiter_of(child_server_behavior::self_pointer self, const msg::progress_listener& run,
                                    const reply_promise<msg::outcome<bool>>& promise) {
  return {asking_caller(self, run), [promise](msg::outcome<bool> answer) { promise.deliver(std::move(answer)); }};
}

} // namespace

child_server_behavior::child_server_behavior(self_pointer self, msg::server_entry entry, child_server_options options)
  : self_(self),
    entry_(std::move(entry)),
    options_(std::move(options)),
    limits_(child::limits_of(entry_, options_.limits)),
    life_(entry_.unusable.empty() ? stage::idle : stage::unusable),
    restarts_(entry_.name, {limits_.breaker, limits_.starts_per_minute}, options_.jitter_seed),
    link_(entry_.name, events_of_link()),
    opening_(options_.eras),
    idle_(limits_.idle),
    abilities_(options_.abilities),
    tools_(options_.offload),
    review_(entry_.name,
            options_.calls_wait_for_review ? child::during_review::calls_wait : child::during_review::calls_go_on),
    pages_(entry_.name, options_.offload),
    reports_(self, entry_.name, options_.connector, options_.audit),
    in_flight_(entry_, limits_.calls_at_once, options_.offload,
               {life_, review_, tools_, restarts_, link_.lines(), idle_}, requests_of_calls()),
    calls_(
      entry_.name, options_.offload, {life_, review_, tools_, restarts_},
      [this] {
        auto me = caf::actor_cast<msg::child_server_actor>(self_);
        return [me](msg::call_key key, fault problem) {
          caf::anon_send(me, msg::checked_atom::value, key, std::move(problem));
        };
      },
      in_flight_),
    refresh_({life_, link_, review_, calls_}, limits_.start, requests_of_calls().set_timer, [this] { return now(); }),
    logins_(entry_.name, {[this](uint64_t number) { return begin_login(self_, options_.log_in, entry_, number); },
                          [this] {
                            restarts_.login_came();
                            if (life_.is(stage::ready) && !is_needed()) // its session is of nobody, or of who was there
                              rest();
                          }}) {
  if (!entry_.unusable.empty())
    restarts_.never(entry_.unusable);
}

msg::child_server_actor::behavior_type child_server_behavior::make() {
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) { end(m.reason); });
  self_->set_exception_handler([this](std::exception_ptr& thrown) -> caf::error {
    spdlog::error("server '{}' can not be served any more, and is begun anew: {}", entry_.name,
                  process::fault_of(thrown).message);
    end(caf::exit_reason::unhandled_exception); // no caller that waits is forgotten
    return caf::exit_reason::unhandled_exception;
  });
  return {
    [this](msg::call_atom, msg::tool_call& call) { return take_call(call); },
    [this](msg::cancel_atom, const msg::call_key& key) { calls_.cancel(key); },
    [this](msg::finish_atom, uint64_t run) { calls_.run_over(run); },
    [this](msg::tools_atom) { return give_tools(); },
    [this](msg::status_atom) {
      return child::status_of(entry_.name, life_, restarts_, tools_, link_.login_wanted(), link_.unread_ms(),
                              calls_.open_calls(), now());
    },
    [this](msg::phase_atom, uint64_t run) {
      return child::start_of(entry_.name, life_, link_, in_flight_.waiting_of(run), now());
    },
    [this](msg::stop_if_idle_atom) { return stop_if_idle(); },
    [this](msg::stop_atom) { return stop(); },
    [this](msg::checked_atom, const msg::call_key& key, fault& problem) { calls_.checked(key, std::move(problem)); },
    [this](msg::abilities_atom, const msg::client_abilities& abilities) { abilities_ = abilities; },
    [this](msg::login_atom, const msg::login_request& wanted) -> caf::result<msg::outcome<bool>> {
      auto run = caf::actor_cast<msg::progress_listener>(self_->current_sender());
      bool may_log_in = entry_.transport != msg::transport_kind::stdio && options_.log_in && run;
      if (!may_log_in || life_.is(stage::stopping))
        return msg::outcome<bool>{fault{errc::not_allowed, {}}};
      reply_promise<msg::outcome<bool>> promise{self_};
      logins_.take(wanted, login_waiter_of(self_, run, promise));
      return promise;
    },
    [this](msg::login_atom, uint64_t number, msg::login_page& page) { logins_.page(number, std::move(page)); },
    [this](msg::login_atom, uint64_t number, const fault& why) { logins_.ended(number, why); },
    [this](msg::received_atom, uint64_t connection, const msg::document& message, uint64_t during) {
      return received(connection, message, during);
    },
    [this](msg::tools_atom, uint64_t connection) {
      pages_.take(connection,
                  [&](mcp::tool_page page) { is_of_now(connection) ? link_.take_page(std::move(page)) : void(); });
    },
    [this](msg::non_protocol_atom, uint64_t connection, const std::string& line) {
      if (is_of_now(connection) && link_.receive_non_protocol_line(line) && life_.is(stage::starting))
        set_timer(timer::non_protocol, limits::child_non_protocol_grace);
      return true;
    },
    [this](msg::closed_atom, uint64_t connection) { connection == life_.connection() ? life_.hung_up() : void(); },
    [this](msg::closed_atom, uint64_t connection, const fault& reason) { closed(connection, reason); },
    [this](msg::tick_atom, uint64_t connection, uint8_t which) {
      if (connection == life_.connection())
        tick(static_cast<timer>(which));
    },
    [this](msg::injected_atom, uint64_t connection, msg::injected_fault& fault) {
      hand_on(connection == life_.connection() ? in_flight_.sent(fault.key) : nullptr, fault);
    },
  };
}

// ---- messages --------------------------------------------------------------------------------

caf::result<child_server_behavior::call_answer> child_server_behavior::take_call(msg::tool_call& call) {
  auto why = calls_.refusal();
  if (why.code == errc::none)
    why = waits_for_restart(call) ? restarts_.may_be_called(now()) : ensure_started();
  if (why.code != errc::none)
    return call_answer{std::move(why).at(entry_.name, call.tool)};
  auto caller = caf::actor_cast<msg::progress_listener>(self_->current_sender());
  auto promise = self_->make_response_promise<call_answer>();
  auto deliver =
    child::named_answer(entry_.name, call.tool, [promise](call_answer a) mutable { promise.deliver(std::move(a)); });
  child::open_call open{std::move(call), std::move(deliver)};
  if (caller)
    tell_caller(open, self_, caller);
  refresh_.take(std::move(open));
  return promise;
}

caf::result<msg::outcome<msg::listed_tools>> child_server_behavior::give_tools() {
  if (auto why = ensure_started(); why.code != errc::none)
    return msg::outcome<msg::listed_tools>{std::move(why)};
  if (!life_.is(stage::ready))
    return listed_.wait(self_);
  if (!refresh_.is_behind())
    return msg::outcome<msg::listed_tools>{tools_.list()};
  reply_promise<msg::outcome<msg::listed_tools>> promise{self_};
  refresh_.wait([this, promise] { promise.deliver(tools_.list()); });
  return promise;
}

caf::result<bool> child_server_behavior::stop_if_idle() {
  if (life_.is(stage::starting) || is_needed())
    return false;
  if (life_.is(stage::ready))
    rest();
  return when_stopped();
}

caf::result<bool> child_server_behavior::stop() {
  auto why = server_fault(entry_.name, errc::shutting_down, "is being stopped");
  fail_waiting(why);
  logins_.end_all(why);
  if (link_.is_open()) {
    life_.stops();
    tell_state();
    link_.fail_all(why);
    link_.stop();
  } else if (life_.is(stage::starting)) { // between two starts: the other one does not come
    life_.stops();
  }
  return when_stopped();
}

caf::result<bool> child_server_behavior::received(uint64_t connection, const msg::document& message, uint64_t during) {
  if (!is_of_now(connection))
    return true;
  if (!options_.offload || !link_.receives_long_page(message)) {
    link_.receive(message, during);
    return true;
  }
  auto promise = self_->make_response_promise<bool>();
  auto go_on = [promise]() mutable { promise.deliver(true); };
  auto read = [me = caf::actor_cast<msg::child_server_actor>(self_), connection = life_.connection()] {
    caf::anon_send(me, msg::tools_atom::value, connection);
  };
  pages_.begin(life_.connection(), message, link_.protocol()->said_headers(), std::move(go_on), std::move(read));
  return promise;
}

void child_server_behavior::closed(uint64_t connection, const fault& reason) {
  life_.process_ended();
  if (connection == life_.connection())
    lost(reason);
  if (life_.has_process())
    return;
  reports_.running(false);
  stopped_.deliver(true);
}

void child_server_behavior::tick(timer which) {
  switch (which) {
    case timer::handshake:
    case timer::non_protocol: return end_handshake(which);
    case timer::relist: return refresh_.read_in_time();
    case timer::awaited_list: return refresh_.end_late();
    case timer::listing: return refresh_.end_late_listing(entry_.name);
    case timer::idle: return rest_if_idle();
    case timer::late_calls: return in_flight_.end_late() ? tell_state() : void();
    case timer::kept_slots: return in_flight_.free_slots();
    case timer::restart: return start_again();
    case timer::discovery: return life_.is(stage::starting) ? link_.stop_waiting_for_discovery() : void();
    case timer::otherwise: return life_.is(stage::starting) ? connect() : void();
    case timer::input_rounds: return life_.is(stage::ready) ? link_.calls().rounds().go_on(now()) : void();
    case timer::listening: return link_.listen_again();
  }
}

// ---- its tools -------------------------------------------------------------------------------

void child_server_behavior::tell_tools() {
  if (!options_.connector)
    return;
  reports_.tools(tools_.list(), [this, list = review_.told(child::review_work(*tools_.list()))](
                                  msg::outcome<std::vector<std::string>> held) { reviewed(list, std::move(held)); });
}

/// The calls that came before go on, or hear why they do not.
void child_server_behavior::reviewed(uint64_t list, msg::outcome<std::vector<std::string>> held) {
  if (!review_.reviewed(list, std::move(held), now()) || !life_.is(stage::ready))
    return;
  refresh_.go_on();
  in_flight_.send_waiting();
}

// ---- to and from others ----------------------------------------------------------------------

child::link_events child_server_behavior::events_of_link() {
  child::link_events e;
  e.listed = [this](msg::outcome<msg::listed_tools> result) { listed(std::move(result)); };
  e.answered = [this](msg::call_key key, msg::outcome<msg::document> answer) {
    if (in_flight_.answered(key, std::move(answer)))
      tell_state();
  };
  e.progressed = [this](msg::tool_progress progress) {
    if (auto* call = in_flight_.sent(progress.key); call && call->progressed)
      call->progressed(std::move(progress));
  };
  e.logged = [this](msg::server_log line) {
    if (auto* call = in_flight_.sent(line.key); call && call->logged)
      call->logged(std::move(line));
  };
  e.asked = [this](msg::server_question question) {
    auto number = question.number;
    in_flight_.asked(std::move(question),
                     [this, number, connection = life_.connection()](msg::outcome<msg::document> said) {
                       if (is_of_now(connection))
                         link_.answer(number, std::move(said));
                     });
  };
  e.withdrawn = [this](msg::call_key key, uint64_t question) { in_flight_.withdrawn(key, question); };
  e.paused = [this](milliseconds then) { set_timer(timer::input_rounds, then); };
  e.done_with = [this](msg::call_key key) { in_flight_.done_with(key); };
  e.tools_changed = [this] { refresh_.announced(); };
  e.listening_ended = [this] { refresh_.listening_ended(); };
  e.dropped = [this](msg::tool_list tools) { tools_.drop(std::move(tools)); };
  e.items_listed = [this](msg::call_key key, mcp::item_pages pages) {
    if (in_flight_.listed(key, std::move(pages)))
      tell_state();
  };
  e.items_dropped = [this](mcp::item_pages pages) { child::drop_items(std::move(pages), options_.offload); };
  return e;
}

child::flight_requests child_server_behavior::requests_of_calls() {
  child::flight_requests r;
  r.send = [this](const msg::tool_call& call) { return link_.calls().call(call); };
  r.cancel = [this](msg::call_key key, std::string_view reason) { return link_.calls().cancel(key, reason); };
  r.forget_given_up = [this](const std::function<bool(msg::call_key)>& is_kept) {
    link_.calls().forget_cancelled(is_kept);
  };
  r.unread_ms = [this] { return link_.unread_ms(); };
  r.set_timer = [this](timer which, milliseconds after) { set_timer(which, after); };
  r.now = [this] { return now(); };
  return r;
}

msg::child_server_actor::behavior_type child_server(msg::child_server_actor::stateful_pointer<child_server_state> self,
                                                    msg::server_entry entry, child_server_options options) {
  return self->state.behavior.emplace(self, std::move(entry), std::move(options)).make();
}

} // namespace actors
