// Percent-encoding (RFC 3986, 2.1) and its digits.
#pragma once

#include <string>
#include <string_view>

namespace text {

/// Of a hexadecimal digit; -1: it is none.
inline int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  auto lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// `%2F` and the like; what is no such code stays as it is.
std::string percent_decoded(std::string_view text);

} // namespace text
