#include "messages/utf8.hpp"

namespace msg {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Length of the UTF-8 sequence at the beginning of `s`, or 0 if there is none.
size_t sequence_length(std::string_view s) {
  auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) { return byte(i) >= low && byte(i) <= high; };
  auto b = byte(0);
  if (b < 0x80)
    return 1;
  if (b >= 0xC2 && b <= 0xDF)
    return follows(1) ? 2 : 0;
  if (b >= 0xE0 && b <= 0xEF) {
    bool second = b == 0xE0 ? follows(1, 0xA0) : b == 0xED ? follows(1, 0x80, 0x9F) : follows(1);
    return second && follows(2) ? 3 : 0;
  }
  if (b >= 0xF0 && b <= 0xF4) {
    bool second = b == 0xF0 ? follows(1, 0x90) : b == 0xF4 ? follows(1, 0x80, 0x8F) : follows(1);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

} // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    auto n = sequence_length(bytes);
    out.append(n == 0 ? replacement : bytes.substr(0, n));
    bytes.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

std::string quoted(std::string_view bytes, size_t bytes_max) { return valid_utf8(bytes.substr(0, bytes_max)); }

} // namespace msg
