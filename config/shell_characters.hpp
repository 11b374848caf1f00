// What a shell sees in the characters of a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace config {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Ends a word that is not quoted.
inline bool is_operator(char c) { return std::string_view{"\n;&|()<>"}.find(c) != std::string_view::npos; }

/// Of blanks at its begin, and of ends of lines that a backslash takes away: how many characters.
inline size_t blanks_before_word(std::string_view text) {
  size_t at = 0;
  for (bool more = true; more;) {
    bool continues = text.substr(at).starts_with("\\\n");
    more = continues || (at < text.size() && is_blank(text[at]));
    at += continues ? 2 : more ? 1 : 0;
  }
  return at;
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

} // namespace config
