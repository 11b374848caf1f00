#include "actors/artifacts.hpp"

#include <caf/all.hpp>

#include <utility>

namespace actors {

using msg::errc;
using msg::fault;

caf::result<artifacts_state::answer> artifacts_state::take(msg::artifact_request& request) {
  bool is_of_program = request.run != 0;
  if (auto waiting = is_of_program ? of_programs_ : open_.size() - of_programs_; waiting >= options_.requests_max)
    return answer{fault{errc::overloaded, "the store of outputs is busy: " + std::to_string(waiting)
                                            + " requests wait, which is the limit; try again"}};
  auto number = ++last_number_;
  auto promise = reply_promise<answer>{self_};
  of_programs_ += is_of_program ? 1 : 0;
  open_.emplace(number, open_request{request.run, promise});
  auto me = caf::actor_cast<msg::artifacts_actor>(self_);
  options_.carry_out(std::move(request), [me, number](answer result) {
    caf::anon_send(me, msg::reply_atom::value, number, std::move(result));
  });
  return promise;
}

msg::artifacts_actor::behavior_type artifacts_state::make_behavior(artifacts_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) {
    for (auto& [number, request] : std::exchange(open_, {}))
      request.promise.deliver(answer{fault{errc::shutting_down, "the server is being stopped"}});
    self_->quit(std::move(m.reason));
  });
  return {
    [this](msg::outputs_atom, msg::artifact_request& request) { return take(request); },
    [this](msg::reply_atom, uint64_t number, answer& result) {
      auto request = open_.extract(number);
      if (!request)
        return;
      of_programs_ -= request.mapped().run != 0 ? 1 : 0;
      request.mapped().promise.deliver(std::move(result));
    },
    [this](msg::cancel_atom, uint64_t run) {
      if (options_.run_is_over)
        options_.run_is_over(run);
    },
  };
}

msg::artifacts_actor::behavior_type outputs_keeper(msg::artifacts_actor::stateful_pointer<artifacts_state> self,
                                                   artifacts_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
