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

child_server_behavior::child_server_behavior(self_pointer self, msg::server_entry entry, child_server_options options)
  : self_(self),
    entry_(std::move(entry)),
    options_(std::move(options)),
    limits_(child::limits_of(entry_, options_.limits)),
    life_(entry_.unusable.empty() ? stage::idle : stage::unusable),
    restarts_(entry_.name, {limits_.breaker, limits_.starts_per_minute}, options_.jitter_seed),
    link_(entry_.name, events_of_link()),
    idle_(limits_.idle),
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
    refresh_({life_, link_, review_, calls_}, limits_.start, requests_of_calls().set_timer, [this] { return now(); }) {
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
      return child::status_of(entry_.name, life_, restarts_, tools_, calls_.open_calls(), now());
    },
    [this](msg::phase_atom) { return child::start_of(entry_.name, life_, link_, now()); },
    [this](msg::stop_if_idle_atom) { return stop_if_idle(); },
    [this](msg::stop_atom) { return stop(); },
    [this](msg::checked_atom, const msg::call_key& key, fault& problem) { calls_.checked(key, std::move(problem)); },
    [this](msg::received_atom, uint64_t connection, const msg::document& message) {
      return received(connection, message);
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
    [this](msg::closed_atom, uint64_t connection) {
      if (connection == life_.connection())
        life_.hung_up();
    },
    [this](msg::closed_atom, uint64_t connection, const fault& reason) { closed(connection, reason); },
    [this](msg::tick_atom, uint64_t connection, uint8_t which) {
      if (connection == life_.connection())
        tick(static_cast<timer>(which));
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
    open.progressed = [this, caller](msg::tool_progress progress) {
      self_->send(caller, msg::progress_atom::value, std::move(progress));
    };
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
  if (link_.is_open()) {
    life_.stops();
    tell_state();
    link_.fail_all(why);
    link_.stop();
  }
  return when_stopped();
}

caf::result<bool> child_server_behavior::received(uint64_t connection, const msg::document& message) {
  if (!is_of_now(connection))
    return true;
  if (!options_.offload || !link_.receives_long_page(message)) {
    link_.receive(message);
    return true;
  }
  auto promise = self_->make_response_promise<bool>();
  auto go_on = [promise]() mutable { promise.deliver(true); };
  auto read = [me = caf::actor_cast<msg::child_server_actor>(self_), connection = life_.connection()] {
    caf::anon_send(me, msg::tools_atom::value, connection);
  };
  pages_.begin(life_.connection(), message, std::move(go_on), std::move(read));
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
    case timer::relist: return refresh_.read_if_announced();
    case timer::awaited_list: return refresh_.end_late();
    case timer::listing: return refresh_.end_late_listing(entry_.name);
    case timer::idle: return rest_if_idle();
    case timer::late_calls: return in_flight_.end_late() ? tell_state() : void();
    case timer::kept_slots: return in_flight_.free_slots();
    case timer::restart: return start_again();
  }
}

// ---- starting and ending ---------------------------------------------------------------------

/// errc::none: the server runs or is being started.
fault child_server_behavior::ensure_started() {
  if (life_.is(stage::stopping))
    return server_fault(entry_.name, errc::shutting_down, "is being stopped");
  bool is_down = life_.is_down();
  auto why = is_down ? restarts_.may_start(now()) : fault{};
  if (why.code == errc::none)
    why = restarts_.may_be_called(now());
  if (is_down && why.code != errc::none)
    reports_.running(false); // the connector sent us here, and believes that it runs now
  if (is_down && why.code == errc::none)
    connect();
  if (why.code == errc::none && life_.is(stage::backing_off)) // it did not even take the first request
    why = fault{errc::server_start_failed, restarts_.last_error()}.at(entry_.name);
  return why;
}

/// Whether the call's time is enough for the back-off of a server that failed: then the first such call has it started
/// again.
bool child_server_behavior::waits_for_restart(const msg::tool_call& call) {
  if (!life_.is(stage::backing_off) || !restarts_.backs_off_within(milliseconds{call.patience_ms}, now()))
    return false;
  if (!calls_.has_waiting())
    set_timer(timer::restart, restarts_.back_off_left(now()));
  return true;
}

void child_server_behavior::start_again() {
  if (!life_.is(stage::backing_off) || !calls_.has_waiting())
    return;
  auto why = restarts_.may_start(now());
  if (why.code == errc::none)
    return connect();
  restarts_.call_withdrawn();
  fail_waiting(why);
}

void child_server_behavior::connect() {
  auto number = life_.start(now());
  restarts_.started(now());
  in_flight_.process_started();
  reports_.running(true);
  link_.lines().process_started();
  review_.reads_again();
  auto opened = options_.connect(entry_, caf::actor_cast<msg::child_server_actor>(self_), number);
  tell_state();
  if (!opened.ok()) // as a message to ourselves: the call that caused it has yet to be queued
    return self_->send(self_, msg::closed_atom::value, number,
                       fault{errc::server_start_failed, "could not be started: " + opened.error.message});
  link_.open(std::move(opened.value));
  set_timer(timer::handshake, limits_.start);
}

/// The list of tools is the end of a start.
void child_server_behavior::listed(msg::outcome<msg::listed_tools> result) {
  if (life_.is(stage::starting) && !result.ok())
    return fail_start(result.error);
  review_.was_read();
  if (!result.ok()) {
    spdlog::warn("[{}] {}", entry_.name, result.error.message);
    tools_.could_not_be_read();
  } else {
    tools_.replace(std::move(result.value));
    tell_tools();
  }
  if (life_.is(stage::starting))
    become_ready();
  refresh_.go_on();
}

void child_server_behavior::become_ready() {
  life_.became_ready();
  restarts_.became_ready(now());
  tell_state();
  if (!calls_.has_waiting())
    restarts_.call_withdrawn(); // only its tools were wanted: no call has been tried
  idle_.used(now());
  if (idle_.is_limited())
    set_timer(timer::idle, idle_.limit());
  listed_.deliver(tools_.list());
}

void child_server_behavior::fail_start(const fault& why) {
  life_.start_failed();
  link_.kill();
  restarts_.start_failed(why.message, now());
  tell_state();
  spdlog::warn("{}", why.message);
  fail_waiting(why);
}

/// It is time for it, or for one that prints what is no message.
void child_server_behavior::end_handshake(timer which) {
  bool is_patience = which == timer::handshake;
  if (!life_.is(stage::starting) || (!is_patience && link_.lines().is_empty()))
    return;
  auto what = child::no_handshake_within(is_patience ? limits_.start : limits::child_non_protocol_grace, is_patience);
  fail_start(server_fault(entry_.name, errc::server_start_failed, what + link_.lines().first_text()));
}

/// Its connection is gone.
void child_server_behavior::lost(const fault& reason) {
  link_.closed();
  if (life_.is(stage::stopping) || life_.is(stage::resting)) {
    bool comes_back = life_.is(stage::resting) && (calls_.has_waiting() || listed_.is_awaited());
    life_.stopped();
    if (!comes_back)
      return tell_state();
    stopped_.deliver(false); // its slot is not free after all
    return connect();
  }
  if (life_.is(stage::starting))
    return fail_start(
      server_fault(entry_.name, errc::server_start_failed, reason.message + link_.lines().first_text()));
  auto why = server_fault(entry_.name, reason.code, reason.message);
  life_.died();
  restarts_.died(why.message, now());
  tell_state();
  spdlog::warn("{}", why.message);
  fail_waiting(why); // first: the end of a listing would send them
  link_.fail_all(why);
}

/// One timer per connection: after the rest of the time it looks again.
void child_server_behavior::rest_if_idle() {
  if (!life_.is(stage::ready))
    return;
  auto left = is_needed() ? idle_.limit() : idle_.left(now());
  left.count() > 0 ? set_timer(timer::idle, left) : rest();
}

void child_server_behavior::rest() {
  life_.rests();
  tell_state();
  link_.stop();
}

caf::result<bool> child_server_behavior::when_stopped() {
  if (life_.has_process())
    return stopped_.wait(self_);
  reports_.running(false); // a slot may have been kept for calls that waited for its restart
  return true;
}

/// Those that nothing was sent for.
void child_server_behavior::fail_waiting(const fault& why) {
  calls_.fail_all(why);
  listed_.deliver(why);
  refresh_.give_up();
}

/// The actor ends with work open: every promise is answered, because CAF would not notice that it is dropped.
void child_server_behavior::end(const caf::error& reason) {
  auto why = server_fault(entry_.name, errc::shutting_down, "is no longer served");
  fail_waiting(why);
  link_.fail_all(why);
  in_flight_.fail_sent(why);
  stopped_.deliver(true);
  pages_.end();
  link_.kill();
  self_->quit(reason);
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
  e.progressed = [this](msg::tool_progress progress) { in_flight_.progressed(std::move(progress)); };
  e.done_with = [this](msg::call_key key) { in_flight_.done_with(key); };
  e.tools_changed = [this] { refresh_.announced(); };
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
  r.send = [this](const msg::tool_call& call) { return link_.send(call); };
  r.cancel = [this](msg::call_key key, std::string_view reason) { return link_.cancel(key, reason); };
  r.forget_given_up = [this](const std::function<bool(msg::call_key)>& is_kept) { link_.forget_cancelled(is_kept); };
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
