// What was too large for the model, in files: the store itself works elsewhere, because it waits for the disk.
#pragma once

#include "actors/reply_promise.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstddef>
#include <functional>
#include <map>

namespace actors {

/// Carries out one request on another thread, in the order of the calls of each run; `done` is called on the main
/// thread, once.
using background_artifacts =
  std::function<void(msg::artifact_request, std::function<void(msg::outcome<msg::artifact_answer>)> done)>;

struct artifacts_options {
  background_artifacts carry_out;
  size_t requests_max = 0;                            ///< of programs that have no answer yet; and of the server itself
  std::function<void(uint64_t run)> run_is_over = {}; ///< what it has asked for and was not begun need not be done
};

class artifacts_state {
public:
  static inline const char* name = "outputs";

  explicit artifacts_state(msg::artifacts_actor::pointer self) : self_(self) {}
  msg::artifacts_actor::behavior_type make_behavior(artifacts_options options);

private:
  using answer = msg::outcome<msg::artifact_answer>;

  caf::result<answer> take(msg::artifact_request& request);

  msg::artifacts_actor::pointer self_;
  artifacts_options options_;
  struct open_request {
    uint64_t run = 0;
    reply_promise<answer> promise;
  };
  std::map<uint64_t, open_request> open_;
  size_t of_programs_ = 0; ///< of open_: they do not keep the server's own from being taken
  uint64_t last_number_ = 0;
};

msg::artifacts_actor::behavior_type outputs_keeper(msg::artifacts_actor::stateful_pointer<artifacts_state> self,
                                                   artifacts_options options);

} // namespace actors
