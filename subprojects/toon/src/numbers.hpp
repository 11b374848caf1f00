// Which tokens are numbers. A grammar of our own: those of the standard library accept more.
#pragma once

#include <string_view>

namespace toon {

/// Digits with an optional fraction and exponent, after an optional minus. No zeros in front: `05` is text.
bool is_number(std::string_view token);

/// What some reader might take for a number: also `05` and `+1`. As a string it is quoted.
bool is_number_like(std::string_view token);

} // namespace toon
