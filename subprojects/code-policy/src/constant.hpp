// Texts that a program spells out, whatever way it does.
#pragma once

#include "token.hpp"

#include <optional>
#include <string>

namespace code_policy {

/// The value of the expression [first, last): texts, added or side by side, in parentheses or not. Nothing: it is not
/// constant, or longer than a name that matters.
std::optional<std::string> constant(const token_list& list, size_t first, size_t last);

/// The first argument of the call whose parenthesis is at `open`, if it is constant.
std::optional<std::string> first_argument(const token_list& list, size_t open);
/// Where the argument ends that begins at `first`, within the brackets that are closed before `last`.
size_t argument_end(const token_list& list, size_t first, size_t last);

} // namespace code_policy
