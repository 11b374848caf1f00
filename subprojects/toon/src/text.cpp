#include "text.hpp"

#include <algorithm>

namespace toon {

namespace {

constexpr size_t shown_bytes_max = 40;

/// Of the character that `s` begins with; 0: it begins with none.
size_t utf8_length(std::string_view s) {
  auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  auto b = byte(0);
  if (b < 0x80)
    return 1;
  if (b < 0xC2 || b > 0xF4)
    return 0;
  size_t length = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
  unsigned low = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : 0x80;  // of the second byte: no overlong forms,
  unsigned high = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : 0xBF; // no surrogates, nothing beyond U+10FFFF
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) < low || byte(i) > high)
      return 0;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

} // namespace

size_t find_unquoted(std::string_view text, std::string_view wanted, size_t from) {
  bool quoted = false;
  for (size_t i = from; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      quoted = !quoted;
    else if (c == '\\' && quoted)
      ++i;
    else if (!quoted && wanted.find(c) != wanted.npos)
      return i;
  }
  return text.npos;
}

std::string_view trimmed(std::string_view text) {
  auto begin = text.find_first_not_of(' ');
  if (begin == text.npos)
    return text.substr(text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

size_t first_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto length = utf8_length(text.substr(i));
    if (length == 0)
      return i;
    i += length;
  }
  return text.npos;
}

std::string shown(std::string_view text) {
  auto part = text.substr(0, shown_bytes_max);
  part = part.substr(0, std::min(first_invalid_utf8(part), part.size())); // a character may be cut
  std::string out = "'";
  for (char c : part)
    out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return out + (part.size() < text.size() ? "...'" : "'");
}

} // namespace toon
