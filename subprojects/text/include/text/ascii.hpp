// Small things about text that is ASCII where it matters; other bytes stay as they are.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace text {

inline std::string in_small_letters(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return out;
}

/// Without blanks and ends of lines around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr auto blanks = " \t\r\n";
  auto from = text.find_first_not_of(blanks);
  return from == text.npos ? std::string_view{} : text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

} // namespace text
