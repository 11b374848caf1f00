// What a shell sees in the characters of a text.
#pragma once

#include <string_view>

namespace config {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Ends a word that is not quoted.
inline bool is_operator(char c) { return std::string_view{"\n;&|()<>"}.find(c) != std::string_view::npos; }

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

} // namespace config
