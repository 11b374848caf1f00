#include "text/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace text {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct sequence {
  size_t length; ///< bytes, at least 1
  bool valid;    ///< false: the longest beginning of a character, or one byte that begins none
};

/// What the text begins with.
sequence first_sequence(std::string_view s) {
  auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  auto b = byte(0);
  if (b < 0x80)
    return {1, true};
  size_t length = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
  if (b < 0xC2 || b > 0xF4)
    return {1, false};
  unsigned low = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : 0x80;  // of the second byte: no overlong forms,
  unsigned high = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : 0xBF; // no surrogates, nothing beyond U+10FFFF
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) < low || byte(i) > high)
      return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

/// How much of its beginning is ASCII, eight bytes at a time: runs print megabytes of it.
size_t ascii_length(std::string_view s) {
  constexpr uint64_t high_bits = 0x8080808080808080;
  size_t n = 0;
  for (uint64_t eight = 0; n + sizeof eight <= s.size(); n += sizeof eight) {
    std::memcpy(&eight, s.data() + n, sizeof eight);
    if ((eight & high_bits) != 0)
      break;
  }
  while (n < s.size() && static_cast<unsigned char>(s[n]) < 0x80)
    ++n;
  return n;
}

} // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (;;) {
    auto ascii = ascii_length(bytes);
    out.append(bytes.substr(0, ascii));
    bytes.remove_prefix(ascii);
    if (bytes.empty())
      return out;
    auto first = first_sequence(bytes);
    out.append(first.valid ? bytes.substr(0, first.length) : replacement);
    bytes.remove_prefix(first.length);
  }
}

std::string quoted(std::string_view bytes, size_t bytes_max) { return valid_utf8(bytes.substr(0, bytes_max)); }

std::string excerpt(std::string_view bytes, size_t bytes_max) {
  auto out = quoted(bytes, bytes_max);
  return bytes.size() <= bytes_max ? out : out + " [... cut after " + std::to_string(bytes_max) + " bytes]";
}

std::string utf8_of(char32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
    return std::string{replacement};
  if (code < 0x80)
    return std::string(1, static_cast<char>(code));
  unsigned continued = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
  std::string out(1, static_cast<char>(lead[continued] | code >> (6 * continued)));
  while (continued-- > 0)
    out += static_cast<char>(0x80 | (code >> (6 * continued) & 0x3F));
  return out;
}

} // namespace text
