// Characters of UTF-8. Instances come from a JSON parser, which has checked them; patterns and hostile values are
// checked by who reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace json_schema {

/// Code points, counted as the bytes that begin one.
inline size_t count_characters(std::string_view text) {
  size_t out = 0;
  for (char c : text)
    out += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return out;
}

inline constexpr char32_t no_character = 0xffffffff;

/// Takes one character from the front. `no_character` for bytes that are none; one byte is taken then.
inline char32_t take_character(std::string_view& text) {
  auto lead = static_cast<unsigned char>(text.front());
  size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0x80) {
    text.remove_prefix(1);
    return lead;
  }
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) {
    text.remove_prefix(1);
    return no_character;
  }
  char32_t out = lead & (0x7f >> size);
  for (size_t i = 1; i < size; ++i)
    out = out << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  text.remove_prefix(size);
  return out;
}

/// The longest part of at most `bytes` that does not cut a character.
inline std::string_view clipped(std::string_view text, size_t bytes) {
  if (text.size() <= bytes)
    return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80)
    --bytes;
  return text.substr(0, bytes);
}

} // namespace json_schema
