// The memory of all guests, one request after the other: the store itself works elsewhere, because it waits for the
// disk.
#pragma once

#include "actors/reply_promise.hpp"
#include "actors/resilience/work_line.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace actors {

/// Carries out one request on another thread; `done` is called on the main thread, once.
using background_memory =
  std::function<void(msg::memory_request, std::function<void(msg::outcome<msg::document>)> done)>;

struct memory_options {
  background_memory carry_out;
  size_t requests_max = 0; ///< waiting, the one at work included
};

class memory_state {
public:
  static inline const char* name = "memory_store";

  explicit memory_state(msg::memory_actor::pointer self) : self_(self) {}
  msg::memory_actor::behavior_type make_behavior(memory_options options);

private:
  using answer = msg::outcome<msg::document>;
  struct waiting_request {
    msg::memory_request request;
    reply_promise<answer> promise;
  };

  caf::result<answer> take(msg::memory_request& request);
  void begin(waiting_request& request, uint64_t number);
  void finished(uint64_t number, answer& result);

  msg::memory_actor::pointer self_;
  memory_options options_;
  resilience::work_line<waiting_request> queue_{
    [this](auto& waiting, uint64_t number) { begin(waiting.front(), number); }};
};

msg::memory_actor::behavior_type memory_store(msg::memory_actor::stateful_pointer<memory_state> self,
                                              memory_options options);

} // namespace actors
