#include "text/numbers.hpp"

#include <charconv>
#include <cstdint>

namespace text {

std::string number_text(double number) {
  if (auto whole = whole_part<int64_t>(number); whole && static_cast<double>(*whole) == number)
    return std::to_string(*whole);
  char digits[32];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr};
}

} // namespace text
