// Escapes and classes of characters of ECMA-262, in the words of PCRE2.
#pragma once

#include "utf8.hpp"

#include <string>
#include <string_view>

namespace json_schema {

/// What '.' matches: ECMA-262 has four characters that end a line.
inline constexpr std::string_view any_but_line_ends = "[^\\n\\r\\x{2028}\\x{2029}]";

struct translated {
  std::string text;              ///< for PCRE2
  char32_t first = no_character; ///< the character, when it is a single one
  std::string_view problem;
};

/// Reads a pattern from front to back.
struct escape_reader {
  enum class place { outside, in_class };
  std::string_view rest;

  /// What begins with the backslash at the front, but no assertion and no back reference.
  translated take(place where);
};

/// As it stands in a pattern or a class of PCRE2, whatever it means there.
std::string literal(char32_t c);

/// From '[' to ']'.
translated translate_class(escape_reader& from);

} // namespace json_schema
