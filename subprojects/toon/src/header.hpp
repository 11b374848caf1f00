// Headers: `key[N|]{a|b{c|d}}:` (section 6 of the specification).
#pragma once

#include "toon/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toon {

/// A column of a table, as a header names it.
struct table_field {
  std::string name;
  std::vector<table_field> parts; ///< empty: it has a cell in each row
};

struct header {
  std::optional<std::string> key;
  /// As declared, whatever it is; beyond 64 bits: the largest number. Never a reason to reserve anything.
  uint64_t length = 0;
  bool is_keyed = false;
  char separator = ',';
  std::vector<table_field> fields; ///< empty: no table
  size_t leaves = 0;               ///< cells of a row
  size_t depth = 0;                ///< of `fields`: 1 when none has parts
  std::string_view inline_values;  ///< after the colon, without spaces around; a part of the line
};

struct header_reading {
  enum class kind : uint8_t {
    none,     ///< the line has no bracket before its first colon, or no colon
    complete, ///< `result` is it
    malformed ///< an error when checks are strict; otherwise the line is a key and its value
  };
  kind what = kind::none;
  header result;
  std::string problem;      ///< of a malformed one: what was expected
  const char* at = nullptr; ///< a part of the line
  bool is_fatal = false;    ///< an error in any mode: a quoted token is broken, or a bound is passed
};

/// `line` is without its indentation. Groups of fields are bounded by `depth_max`, all fields by `value_bytes_max`.
header_reading read_header(std::string_view line, const decode_options& options);

} // namespace toon
