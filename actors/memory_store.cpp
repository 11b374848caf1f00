#include "actors/memory_store.hpp"

#include <caf/all.hpp>

#include <utility>

namespace actors {

using msg::errc;
using msg::fault;

caf::result<memory_state::answer> memory_state::take(msg::memory_request& request) {
  if (queue_.size() >= options_.requests_max)
    return answer{fault{errc::overloaded, "memory is busy: " + std::to_string(queue_.size())
                                            + " requests wait, which is the limit; try again"}};
  auto promise = reply_promise<answer>{self_};
  queue_.push({std::move(request), promise});
  return promise;
}

void memory_state::begin(waiting_request& request, uint64_t number) {
  auto me = caf::actor_cast<msg::memory_actor>(self_);
  options_.carry_out(std::move(request.request), [me, number](answer result) {
    caf::anon_send(me, msg::reply_atom::value, number, std::move(result));
  });
}

void memory_state::finished(uint64_t number, answer& result) {
  auto done = queue_.take_done(number);
  if (!done)
    return;
  done->promise.deliver(std::move(result));
  queue_.go_on();
}

msg::memory_actor::behavior_type memory_state::make_behavior(memory_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) {
    for (auto& waiting : queue_.take_all())
      waiting.promise.deliver(answer{fault{errc::shutting_down, "the server is being stopped"}});
    self_->quit(std::move(m.reason));
  });
  return {
    [this](msg::memory_atom, msg::memory_request& request) { return take(request); },
    [this](msg::reply_atom, uint64_t number, answer& result) { finished(number, result); },
  };
}

msg::memory_actor::behavior_type memory_store(msg::memory_actor::stateful_pointer<memory_state> self,
                                              memory_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
