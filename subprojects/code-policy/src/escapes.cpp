#include "escapes.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace code_policy {

namespace {

void append_utf8(std::string& to, uint32_t c) {
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xC0 | (c >> 6));
    to += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    to += static_cast<char>(0xE0 | (c >> 12));
    to += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    to += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    to += '?'; // no name that matters has one
  }
}

/// At most `digits` of them; the number of characters taken, 0: there is none.
size_t append_number(std::string& to, std::string_view text, size_t digits, int base) {
  uint32_t value = 0;
  auto end = text.data() + std::min(digits, text.size());
  auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{})
    return 0;
  append_utf8(to, value);
  return static_cast<size_t>(stop - text.data());
}

/// What follows a backslash; the number of characters taken.
size_t append_escaped(std::string& to, std::string_view text) {
  auto c = text[0];
  if (c == 'x')
    return 1 + append_number(to, text.substr(1), 2, 16);
  if (c == 'u' && text.substr(1).starts_with('{')) {
    auto taken = append_number(to, text.substr(2), 8, 16);
    return std::min(text.size(), 2 + taken + (text.substr(2 + taken).starts_with('}') ? 1 : 0));
  }
  if (c == 'u')
    return 1 + append_number(to, text.substr(1), 4, 16);
  if (c == 'U')
    return 1 + append_number(to, text.substr(1), 8, 16);
  if (c >= '0' && c <= '7')
    return append_number(to, text, 3, 8);
  if (c == '\r' && text.substr(1).starts_with('\n'))
    return 2;
  if (c != '\n' && c != '\r')
    to += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  return 1;
}

} // namespace

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\' || i + 1 == text.size())
      out += text[i++];
    else
      i += 1 + append_escaped(out, text.substr(i + 1));
  }
  return out;
}

} // namespace code_policy
