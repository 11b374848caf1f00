// What a person is asked before calls are made that need consent (security.confirm), in words.
#pragma once

#include "messages/document.hpp"
#include "messages/server_questions.hpp"
#include "messages/tool_call.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace actors::run {

/// Calls whose arguments are shown, and bytes of each.
inline constexpr size_t shown_arguments_max = 10;
inline constexpr size_t shown_arguments_bytes_max = 300;

/// Calls of one tool that are asked for together.
struct asked_calls {
  msg::consent to;
  uint32_t count = 0;
  std::vector<std::string> arguments; ///< see short_arguments(); of the first calls
  uint32_t agreed_before = 0;         ///< calls of it that the person has agreed to in this run
};

/// The beginning of the arguments as JSON in one line, harmless where it is shown, without what looks like a secret by
/// itself or by the name that it has. Takes no longer for large ones.
std::string short_arguments(const msg::document& arguments);

/// For calls that wait.
msg::server_question question_of_calls(const std::vector<asked_calls>& calls);
/// For those that a program announces (approve): their arguments are not known yet.
msg::server_question question_of_announced(const std::vector<asked_calls>& calls);
/// For all that a run may make: those that these patterns match.
msg::server_question question_of_all(const std::vector<std::string>& patterns);

} // namespace actors::run
