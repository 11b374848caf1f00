// A hexadecimal digit.
#pragma once

namespace egress {

/// -1: it is none.
inline int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  auto lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace egress
