#include "actors/child/result_check.hpp"

#include <string>
#include <utility>

namespace child {

void answer_as_promised(std::shared_ptr<const proxy::contract> contract, msg::tool_result result,
                        const process::background_work& offload,
                        std::function<void(msg::outcome<msg::tool_result>)> answer) {
  if (!contract || contract->keeps_at_once(result.envelope))
    return answer(std::move(result));
  auto shared = std::make_shared<msg::tool_result>(std::move(result));
  auto compare = [contract, shared] {
    auto difference = contract->check_result(shared->envelope);
    shared->warning += (shared->warning.empty() || difference.empty() ? "" : "; ") + difference;
  };
  auto done = [answer = std::move(answer), shared](msg::fault failed) {
    answer(failed.code == msg::errc::none ? msg::outcome<msg::tool_result>{std::move(*shared)}
                                          : msg::outcome<msg::tool_result>{std::move(failed)});
  };
  if (offload)
    return offload(std::move(compare), std::move(done));
  compare();
  done({});
}

} // namespace child
