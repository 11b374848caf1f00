// UUIDs, JSON pointers and regular expressions.
#include "ecma_pattern.hpp"
#include "formats.hpp"

#include <algorithm>
#include <cctype>

namespace json_schema {

bool is_uuid(std::string_view text) {
  constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::equal(text.begin(), text.end(), shape.begin(), shape.end(), [](char c, char kind) {
    return kind == '-' ? c == '-' : std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/')
    return false;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')))
      return false;
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || (digits > 1 && text.front() == '0'))
    return false;
  text.remove_prefix(digits);
  return text == "#" || is_json_pointer(text);
}

bool is_regex(std::string_view text) { return translate(text).problem.empty(); }

} // namespace json_schema
