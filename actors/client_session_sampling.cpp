// The client's own model: questions of runs go out as requests of ours.
#include "actors/client_session.hpp"
#include "sampling/client_route.hpp"

#include <caf/all.hpp>

namespace actors {

using msg::errc;
using msg::fault;
using answer = msg::outcome<msg::model_answer>;

caf::result<answer> client_session_state::sample(msg::call_key key, const msg::model_request& request) {
  auto promise = self_->make_response_promise<answer>();
  auto done = [this, key](const msg::outcome<msg::document>& result) {
    auto waits = samples_.extract(key);
    if (waits)
      waits.mapped().promise.deliver(result.ok() ? sampling::client_answer(result.value) : answer{sampling::client_refusal(result.error)});
  };
  auto number = protocol_->to_client().ask("sampling/createMessage", sampling::client_question(request), done);
  if (number == 0) {
    answer busy{fault{errc::overloaded,
                      "the client has " + std::to_string(mcp::requests_to_client_max) + " questions to answer, which is the limit; try again later"}};
    busy.value.was_asked = false;
    return busy;
  }
  samples_.emplace(key, open_sample{number, promise});
  return promise;
}

void client_session_state::give_up_sample(msg::call_key key) {
  auto waits = samples_.extract(key);
  if (!waits)
    return;
  protocol_->to_client().cancel(waits.mapped().request, "the run needs no answer any more");
  waits.mapped().promise.deliver(answer{fault{errc::cancelled, "nobody waits for the answer any more"}});
}

} // namespace actors
