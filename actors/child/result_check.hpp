// A result, held against what its tool promises.
#pragma once

#include "messages/errors.hpp"
#include "messages/tool_call.hpp"
#include "process/background.hpp"
#include "proxy/contract.hpp"

#include <functional>
#include <memory>

namespace child {

/// Answers, now or later, with the result, and with a warning in it if it is not what the contract says; or with why it
/// could not be looked at. Null: nothing is promised. What takes its time is done elsewhere, if there is an `offload`.
void answer_as_promised(std::shared_ptr<const proxy::contract> contract, msg::tool_result result,
                        const process::background_work& offload,
                        std::function<void(msg::outcome<msg::tool_result>)> answer);

} // namespace child
