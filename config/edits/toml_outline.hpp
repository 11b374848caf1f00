// The statements of a TOML text, with their places.
#pragma once

#include "config/edits/text_edit.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace edits {

/// The name of a table, or a key with its value.
struct toml_statement {
  /// From the root; which item of an array of tables is meant stands behind its name, as "[2]".
  key_path path;
  bool is_header = false;
  size_t begin = 0;       ///< of its first line
  size_t end = 0;         ///< of its last line: where the next one begins
  size_t value_begin = 0; ///< of a key's value; its end is without blanks and comments
  size_t value_end = 0;

  /// Whether the path leads to it, or to something that it is in.
  bool is_in(const key_path& part) const;
};

/// `text` is well-formed.
std::vector<toml_statement> toml_statements(std::string_view text);

} // namespace edits
