// RFC 4648, section 4, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace json_schema {

inline int base64_digit(char c) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  auto found = digits.find(c);
  return found == digits.npos ? -1 : static_cast<int>(found);
}

inline std::optional<std::string> base64_decoded(std::string_view text) {
  if (text.size() % 4 != 0)
    return {};
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding)
    text.remove_suffix(1);
  std::string out;
  unsigned bits = 0, count = 0;
  for (char c : text) {
    auto digit = base64_digit(c);
    if (digit < 0)
      return {};
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8)
      out += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return out;
}

} // namespace json_schema
