// What a caller may choose. The bounds hold for hostile input, too: their defaults are generous for data and small for
// an attack.
#pragma once

#include <cstddef>
#include <cstdint>

namespace toon {

/// Separates the values of an inline array and the cells of a row.
enum class delimiter : char { comma = ',', tab = '\t', pipe = '|' };

enum class checks : uint8_t {
  /// Counts, widths, indentation, blank lines and duplicate keys are checked (section 14 of the specification).
  strict,
  lenient, ///< wrong counts and widths are accepted, the last of duplicate keys wins, malformed headers become keys
};

/// Nesting of objects and arrays. Boost.JSON destroys values by recursion, and so do we read and write them.
inline constexpr size_t depth_max_default = 200;
/// Of one TOON text.
inline constexpr size_t text_bytes_max_default = size_t{256} << 20;
/// Of the values that one text becomes. A text of 10 MB with a number every two bytes needs 160 MB.
inline constexpr size_t value_bytes_max_default = size_t{512} << 20;
/// Spaces for each level. What is beyond the range is taken for its nearest end.
inline constexpr unsigned indent_spaces_min = 1, indent_spaces_max = 16;

struct encode_options {
  unsigned indent_spaces = 2;
  toon::delimiter delimiter = delimiter::comma; ///< of every header; strings with it in them are quoted
  size_t depth_max = depth_max_default;
  size_t text_bytes_max = text_bytes_max_default; ///< of the output; passed by at most one string before it is noticed
};

struct decode_options {
  unsigned indent_spaces = 2;
  toon::checks checks = checks::strict;
  size_t depth_max = depth_max_default;
  size_t text_bytes_max = text_bytes_max_default;
  /// An estimate, off by a factor of two at most. It is what bounds texts whose rows repeat a very long header.
  size_t value_bytes_max = value_bytes_max_default;
};

} // namespace toon
