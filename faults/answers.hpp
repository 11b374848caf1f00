// The answers of a server as faults make them: JSON-RPC messages in, others out.
#pragma once

#include "faults/plan.hpp"
#include "messages/document.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace faults {

// ---- instead of what the server says
msg::document error_answer(uint64_t id, int64_t code, std::string_view message, boost::json::object data = {});
/// A result of a tool that says isError.
msg::document failed_result(uint64_t id, std::string_view text);
/// In the words of the rule: error, rate_limited, unauthorized.
msg::document refusal(uint64_t id, const rule& by);

// ---- what the server says, changed; what is no result stays as it is
msg::document emptied(const msg::document& answer);
msg::document with_other_types(const msg::document& answer);
/// A text of so many bytes more; of a list of tools so many bytes of tools.
msg::document enlarged(const msg::document& answer, uint64_t bytes);
/// What an agent that obeys would do.
msg::document with_canary(const msg::document& answer, const rule& by);
/// Of each text the share `keep`, at the border of a character.
msg::document with_short_texts(const msg::document& answer, double keep);
/// The beginning of the message, which is no JSON then.
std::string cut_off(const msg::document& answer, double keep);

} // namespace faults
