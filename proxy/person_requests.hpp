// What a guest may ask of the person at the client: `ask`, `approve`, checked field by field.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace boost::json {
class object;
}

namespace proxy {

/// Of one question of a program: a person reads it.
inline constexpr size_t asked_message_bytes_max = 4u << 10;
/// Tools that one approve() names; a person reads them.
inline constexpr size_t announced_tools_max = 20;

/// askUser()
struct guest_question {
  uint64_t id = 0;
  std::string message;
  msg::document form; ///< see asked_form()
};

/// So many calls of a tool, as the program names it.
struct announced_calls {
  msg::tool_ref tool;
  uint32_t count = 1;
};

/// approve()
struct guest_approval {
  uint64_t id = 0;
  std::vector<announced_calls> calls; ///< each tool by its name once; empty: all that the run may make
};

/// `NAME x COUNT`; without a count it is 1. Nothing: the count is none from 1 to limits::tool_calls_max, or the name is
/// none of one tool.
std::optional<announced_calls> parse_announced(std::string_view text);

/// Nothing: `method` is none of these.
std::optional<msg::outcome<std::variant<guest_question, guest_approval>>>
parse_person_request(std::string_view method, uint64_t id, const boost::json::object& params);

} // namespace proxy
