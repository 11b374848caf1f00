// Of child_server: its starts and its ends.
#include "actors/child_server.hpp"

#include "actors/child/server_fault.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace actors {

namespace limits = msg::limits;
using child::server_fault;
using child::stage;
using child::timer;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

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

/// Or gives its slot back, which was kept for calls that do not wait any more.
void child_server_behavior::start_again() {
  if (!life_.is(stage::backing_off))
    return;
  if (calls_.has_waiting()) {
    auto why = restarts_.may_start(now());
    if (why.code == errc::none)
      return connect();
    restarts_.call_withdrawn();
    fail_waiting(why);
  }
  reports_.running(false);
}

void child_server_behavior::connect() {
  auto number = life_.start(now());
  restarts_.started(now());
  in_flight_.process_started();
  refresh_.process_started();
  reports_.running(true);
  link_.lines().process_started();
  review_.reads_again();
  auto opened = options_.connect(entry_, caf::actor_cast<msg::child_server_actor>(self_), number);
  tell_state();
  if (!opened.ok()) // as a message to ourselves: the call that caused it has yet to be queued
    return self_->send(self_, msg::closed_atom::value, number,
                       fault{errc::server_start_failed, "could not be started: " + opened.error.message});
  auto first = opening_.next(entry_);
  link_.open(std::move(opened.value), first, abilities_);
  set_timer(timer::handshake, limits_.start);
  if (first == mcp::opening::discover)
    set_timer(timer::discovery, mcp::discovery_patience);
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
  opening_.opened(entry_, link_.protocol()->how_it_opened());
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

/// A process that has read what it was asked first, and has not begun to serve, is started once more: it may have been
/// for that. By a message: this may be within a call of the link, which connect() makes anew.
void child_server_behavior::fail_start(const fault& why) {
  bool is_for_login = why.code == errc::needs_login;
  bool may_be_ours = entry_.transport == msg::transport_kind::stdio && link_.was_heard()
                     && !(link_.protocol() && link_.protocol()->handshaken());
  if (!is_for_login && opening_.failed() && may_be_ours) {
    link_.kill();
    return self_->send(self_, msg::tick_atom::value, life_.connection(), static_cast<uint8_t>(timer::otherwise));
  }
  is_for_login ? life_.login_is_wanted() : life_.start_failed();
  link_.kill();
  is_for_login ? restarts_.login_is_wanted(why.message, now()) : restarts_.start_failed(why.message, now());
  tell_state();
  spdlog::warn("{}", why.message);
  fail_waiting(why);
}

/// It is time for it, or for one that prints what is no message.
void child_server_behavior::end_handshake(timer which) {
  bool is_patience = which == timer::handshake;
  if (!life_.is(stage::starting) || (!is_patience && link_.lines().is_empty()))
    return;
  opening_.failed(); // it was asked for both, and had all the time there is
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
  bool is_for_login = reason.code == errc::needs_login;
  if (life_.is(stage::starting))
    return fail_start(server_fault(entry_.name, is_for_login ? errc::needs_login : errc::server_start_failed,
                                   reason.message + link_.lines().first_text()));
  auto why = server_fault(entry_.name, reason.code, reason.message);
  is_for_login ? life_.login_is_wanted() : life_.died();
  is_for_login ? restarts_.login_is_wanted(why.message, now()) : restarts_.died(why.message, now());
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
  logins_.end_all(why);
  link_.fail_all(why);
  in_flight_.fail_sent(why);
  stopped_.deliver(true);
  pages_.end();
  link_.kill();
  self_->quit(reason);
}

} // namespace actors
