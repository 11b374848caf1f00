#include "actors/client/completion_requests.hpp"

#include "sampling/client_route.hpp"

#include <string>
#include <utility>

namespace client {

using msg::errc;
using msg::fault;
using answer = msg::outcome<msg::model_answer>;

void completion_requests::ask(msg::call_key key, const msg::model_request& request, answered done) {
  auto take = [this, key](const msg::outcome<msg::document>& result) {
    if (auto waits = open_.extract(key))
      waits.mapped().done(result.ok() ? sampling::client_answer(result.value)
                                      : answer{sampling::client_refusal(result.error)});
  };
  auto number = client_.ask(key.run, "sampling/createMessage", sampling::client_question(request), take);
  if (number != 0) {
    open_.emplace(key, open_question{number, std::move(done)});
    return;
  }
  bool is_full = client_.question_count() >= mcp::requests_to_client_max;
  answer busy{fault{errc::overloaded,
                    is_full ? "the client has " + std::to_string(mcp::requests_to_client_max)
                                + " questions to answer, which is the limit; try again later"
                            : "the client has not read what was sent to it before, and there is no room for the "
                              "question; try again later"}};
  busy.value.times_asked = 0;
  done(std::move(busy));
}

void completion_requests::give_up(msg::call_key key) {
  auto waits = open_.extract(key);
  if (!waits)
    return;
  client_.withdraw(waits.mapped().number, "the run needs no answer any more");
  waits.mapped().done(fault{errc::cancelled, "nobody waits for the answer any more"});
}

} // namespace client
