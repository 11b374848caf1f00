#include "actors/sandbox.hpp"

#include "proxy/guest_frames.hpp"

#include <caf/all.hpp>

namespace actors {

/// Quits when both have happened: the output is given away, and the process is gone.
msg::guest_output sandbox_state::finish() {
  auto output = guest_ && !finished_ ? guest_->finish() : msg::guest_output{};
  finished_ = true;
  if (ended_)
    self_->quit();
  return output;
}

void sandbox_state::ended(const msg::guest_exit& how) {
  ended_ = true;
  if (finished_)
    self_->quit();
  else
    self_->send(listener_, msg::exit_atom::value, how);
}

msg::sandbox_actor::behavior_type sandbox_state::make_behavior(sandbox_options options) {
  listener_ = std::move(options.listener);
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) {
    if (guest_ && !finished_) [[maybe_unused]]
      auto unwanted = guest_->finish();
    self_->quit(std::move(m.reason));
  });
  auto started = options.start(options.lang, options.timeout_ms, caf::actor_cast<msg::sandbox_actor>(self_));
  if (started.ok()) {
    guest_ = std::move(started.value);
  } else {
    msg::guest_exit how;
    how.problem = started.error.message;
    self_->send(self_, msg::exit_atom::value, how);
  }
  return {
    [this](msg::run_atom, const std::string& code) {
      if (guest_)
        guest_->send(proxy::run_frame(code));
    },
    [this](msg::reply_atom, uint64_t id, const msg::outcome<msg::document>& answer) {
      if (guest_ && !finished_)
        guest_->send(proxy::reply_frame(id, answer));
    },
    [this](msg::finish_atom) { return finish(); },
    [this](msg::frame_atom, msg::document& frame) -> caf::result<bool> {
      if (finished_)
        return true;
      return self_->delegate(listener_, msg::frame_atom::value, std::move(frame));
    },
    [this](msg::exit_atom, const msg::guest_exit& how) { ended(how); },
  };
}

msg::sandbox_actor::behavior_type sandbox_guest(msg::sandbox_actor::stateful_pointer<sandbox_state> self, sandbox_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
