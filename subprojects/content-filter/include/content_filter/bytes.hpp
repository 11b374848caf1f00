// Sets of bytes: what the parts of a secret may consist of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace content_filter {

/// One bit for each group of bytes; a set is the union of some.
using byte_set = uint16_t;

namespace bytes {

inline constexpr byte_set digit = 1, upper = 2, lower = 4, underscore = 8, dash = 16, dot = 32, plus = 64, slash = 128,
                          equals = 256, tilde = 512, percent = 1024;
inline constexpr byte_set letter = upper | lower, alnum = letter | digit, name = alnum | underscore, word = name | dash,
                          dotted = word | dot, base64 = alnum | plus | slash | equals;

inline constexpr auto groups = [] {
  std::array<byte_set, 256> out{};
  for (int c = '0'; c <= '9'; ++c)
    out[c] = digit;
  for (int c = 'A'; c <= 'Z'; ++c)
    out[c] = upper;
  for (int c = 'a'; c <= 'z'; ++c)
    out[c] = lower;
  out['_'] = underscore;
  out['-'] = dash;
  out['.'] = dot;
  out['+'] = plus;
  out['/'] = slash;
  out['='] = equals;
  out['~'] = tilde;
  out['%'] = percent;
  return out;
}();

} // namespace bytes

inline bool is_of(byte_set set, char c) { return (bytes::groups[static_cast<unsigned char>(c)] & set) != 0; }

inline bool is_hex(char c) { return is_of(bytes::digit, c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

inline char to_lower(char c) { return is_of(bytes::upper, c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// The end of the bytes of `set` that begin at `at`; at most `at + most`.
inline size_t run_end(std::string_view text, size_t at, byte_set set, size_t most) {
  auto last = most < text.size() - at ? at + most : text.size();
  while (at < last && is_of(set, text[at]))
    ++at;
  return at;
}

} // namespace content_filter
