// The members of one object in a JSON text, with all their places.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edits {

struct json_member {
  std::string key;
  size_t begin = 0; ///< of the key
  size_t value_begin = 0;
  size_t value_end = 0;
  size_t comma = std::string::npos; ///< that follows it; npos: none does

  /// Behind it, its comma included.
  size_t end() const { return comma == std::string::npos ? value_end : comma + 1; }
};

struct json_outline {
  size_t open = 0;  ///< of its '{'
  size_t close = 0; ///< of its '}'
  std::vector<json_member> members;

  /// The last one of that name, which is the one that counts; null: there is none.
  const json_member* find(std::string_view key) const;
};

/// `text` is well-formed, with comments and trailing commas. None: what begins there, behind white space and comments,
/// is no object.
std::optional<json_outline> outline_at(std::string_view text, size_t at);

} // namespace edits
