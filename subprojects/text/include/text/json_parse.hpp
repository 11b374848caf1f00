// Parsing JSON without losing a digit. Boost.JSON 1.81 rounds some doubles wrongly (one of ten with 16 digits is off by
// one unit in the last place), so numbers are converted here, by std::from_chars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace boost::json {
class value;
}

namespace text {

enum class json_dialect : uint8_t {
  strict,
  edited, ///< files that people edit: comments and trailing commas are accepted
};

/// Nesting of any JSON text. Boost.JSON parses recursively-shaped values without recursion, but destroys them with it.
inline constexpr size_t json_depth_max = 200;

struct json_problem {
  std::string what; ///< empty: none
  size_t at = 0;    ///< byte
};

/// One JSON text, strict UTF-8, nesting bounded; what follows it, other than white space, is a problem. Numbers beyond
/// the range of a double become the largest one of their sign. An escape of half a surrogate pair (\ud83d, as
/// JavaScript writes a text that was cut inside of a character) becomes U+FFFD, and is named in a key (U+d83d),
/// so that two keys stay two: such a text is parsed twice, and copied.
json_problem parse_json(std::string_view text, json_dialect dialect, boost::json::value& out);

} // namespace text
