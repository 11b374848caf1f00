#include "actors/sandbox.hpp"

#include "messages/limits.hpp"
#include "proxy/guest_frames.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <exception>

namespace actors {

namespace limits = msg::limits;
using msg::guest_phase;

void sandbox_state::start(const guest_factory& factory) {
  auto started = factory(options_.wish, caf::actor_cast<msg::sandbox_actor>(self_));
  if (started.ok()) {
    guest_ = std::move(started.value);
    return;
  }
  msg::guest_exit how;
  how.problem = started.error.message;
  how.cause = started.error.code;
  self_->send(self_, msg::exit_atom::value, std::move(how));
}

sandbox_state::~sandbox_state() {
  try {
    if (!ended_) [[maybe_unused]]
      auto unwanted = finish();
  } catch (const std::exception& e) {
    spdlog::error("a guest can not be ended: {}", e.what());
  }
}

void sandbox_state::attach(msg::guest_listener listener) {
  options_.pool = nullptr;
  collected_ = false;
  listener_ = std::move(listener);
  self_->monitor(listener_);
  if (ended_)
    tell_the_end();
}

void sandbox_state::run(const msg::guest_program& program) {
  if (!guest_ || finished_)
    return;
  run_ = program.run;
  has_begun_ = !program.keep; // the guest of a session says when
  connections_ = 0;
  held_bytes_max_ = program.held_bytes_max;
  hold(0);
  guest_->watch_memory();
  guest_->send(proxy::run_frame(program));
}

void sandbox_state::hold(uint64_t elsewhere) {
  if (guest_ && !finished_)
    guest_->hold_at_most(held_bytes_max_, elsewhere);
}

/// A program that connects without end does not fill the disk.
void sandbox_state::record(msg::audit_event& connection) {
  if (!options_.audit || connections_ >= limits::audit_connections_max)
    return;
  connection.run = run_;
  if (++connections_ == limits::audit_connections_max)
    connection.error += " (further connections of this run have no lines)";
  self_->send(options_.audit, msg::audit_atom::value, std::move(connection));
}

void sandbox_state::advance(guest_phase phase) {
  phase_ = phase;
  if (options_.pool)
    self_->send(options_.pool, msg::phase_atom::value, options_.number, phase);
}

caf::result<bool> sandbox_state::frame(msg::document& frame) {
  if (finished_)
    return true;
  auto type = proxy::frame_type(frame);
  if (type == "ready") {
    advance(guest_phase::ready);
    if (!listener_)
      guest_->send(proxy::warm_up_frame());
  } else if (type == "warm") {
    advance(guest_phase::warm);
  } else if (type == "begun") {
    has_begun_ = true;
  } else if (listener_ && has_begun_) {
    return self_->delegate(listener_, msg::frame_atom::value, std::move(frame));
  } else if (auto id = proxy::request_id(frame); id != 0) { // what a program of a session left running
    guest_->send(proxy::reply_frame(id, msg::fault{msg::errc::cancelled, "the run that this belongs to is over"}));
  }
  return true;
}

msg::guest_output sandbox_state::collect() {
  if (listener_)
    self_->demonitor(listener_.address());
  listener_ = nullptr;
  collected_ = ran_before_ = true;
  has_begun_ = false;
  if (ended_)
    return finish();
  return guest_ ? guest_->collect() : msg::guest_output{};
}

/// Quits when both have happened: the output is given away, and the process is gone.
msg::guest_output sandbox_state::finish() {
  auto output = guest_ && !finished_ ? guest_->finish() : msg::guest_output{};
  finished_ = true;
  if (ended_)
    self_->quit();
  return output;
}

void sandbox_state::ended(msg::guest_exit how) {
  ended_ = true;
  exit_ = std::move(how);
  exit_.was_ready = phase_ != guest_phase::starting;
  exit_.has_begun = has_begun_;
  exit_.ran_before = ran_before_;
  if (finished_)
    self_->quit();
  else if (listener_)
    tell_the_end();
  else if (options_.pool || collected_) [[maybe_unused]]
    auto unwanted = finish(); // died waiting: its owner monitors it. Else a listener is about to come.
}

void sandbox_state::tell_the_end() { self_->send(listener_, msg::exit_atom::value, exit_); }

msg::sandbox_actor::behavior_type sandbox_state::make_behavior(sandbox_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) {
    [[maybe_unused]] auto unwanted = finish();
    self_->quit(std::move(m.reason));
  });
  self_->set_down_handler([this](caf::down_msg& down) {
    if (listener_ && down.source == listener_.address()) [[maybe_unused]]
      auto unwanted = finish();
  });
  start(options_.start);
  return {
    [this](msg::attach_atom, msg::guest_listener& listener) { attach(std::move(listener)); },
    [this](msg::run_atom, const msg::guest_program& program) { run(program); },
    [this](msg::reply_atom, uint64_t id, const msg::outcome<msg::document>& answer) {
      if (guest_ && !finished_)
        guest_->send(proxy::reply_frame(id, answer));
    },
    [this](msg::hold_atom, uint64_t elsewhere) { hold(elsewhere); },
    [this](msg::collect_atom) { return collect(); },
    [this](msg::finish_atom) { return finish(); },
    [this](msg::phase_atom) { return has_begun_ && phase_ != guest_phase::starting; },
    [this](msg::frame_atom, msg::document& f) { return frame(f); },
    [this](msg::audit_atom, msg::audit_event& connection) { record(connection); },
    [this](msg::exit_atom, msg::guest_exit& how) { ended(std::move(how)); },
  };
}

msg::sandbox_actor::behavior_type sandbox_guest(msg::sandbox_actor::stateful_pointer<sandbox_state> self,
                                                sandbox_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
