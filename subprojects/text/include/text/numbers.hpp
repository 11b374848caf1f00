// Numbers that others have written.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace text {

/// Without the fraction. Nothing: it is no number, or the type does not hold it (where a cast would be undefined).
template <class Integer>
std::optional<Integer> whole_part(double number) {
  // A power of two, or 0.
  constexpr auto least = static_cast<double>(std::numeric_limits<Integer>::min());
  // One above the largest.
  constexpr auto end = 2 * static_cast<double>(Integer{1} << (std::numeric_limits<Integer>::digits - 1));
  auto whole = std::trunc(number);
  return whole >= least && whole < end ? std::optional{static_cast<Integer>(whole)} : std::nullopt;
}

/// For people: whole numbers without a point.
std::string number_text(double number);

} // namespace text
