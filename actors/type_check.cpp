#include "actors/type_check.hpp"

#include <caf/all.hpp>

#include <utility>

namespace actors {

using checked = msg::outcome<msg::document>;

caf::result<checked> type_check_state::check(msg::type_check_request& what) {
  promise_ = self_->make_response_promise<checked>();
  stop_ = check_(client_, std::move(what), [me = caf::actor_cast<msg::type_check_actor>(self_)](checked problems) {
    caf::anon_send(me, msg::reply_atom::value, std::move(problems));
  });
  return promise_;
}

/// No run waits for it any more.
void type_check_state::give_up() {
  if (auto stop = std::exchange(stop_, nullptr))
    stop();
  self_->quit();
}

msg::type_check_actor::behavior_type type_check_state::make_behavior(type_check_options options) {
  check_ = std::move(options.check);
  client_ = options.client;
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg&) { give_up(); });
  self_->set_down_handler([this](caf::down_msg&) { give_up(); });
  self_->monitor(options.execution);
  return {
    [this](msg::run_atom, msg::type_check_request& what) { return check(what); },
    [this](msg::reply_atom, checked& problems) {
      stop_ = nullptr;
      promise_.deliver(std::move(problems));
      self_->quit();
    },
  };
}

msg::type_check_actor::behavior_type type_check(msg::type_check_actor::stateful_pointer<type_check_state> self,
                                                type_check_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
