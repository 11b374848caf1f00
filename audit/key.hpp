// The key that seals the head of the record: who has it not can write lines, but no head that fits them.
#pragma once

#include "messages/errors.hpp"

#include <string>
#include <string_view>

namespace audit {

struct seal_key {
  std::string bytes;   ///< empty: there is none
  bool is_new = false; ///< made just now: what is there of the record was written without it
};

/// In the folder of the state; empty without one.
std::string key_file(const std::string& state_folder);

/// As it is in that file; none if there is no such file. The fault says that it is damaged or can not be read.
msg::outcome<seal_key> read_key(const std::string& path);

/// The same, and made if there is none: for its owner alone, whole or not at all. Of several processes that make it at
/// once, all get the same.
msg::outcome<seal_key> read_or_make_key(const std::string& path);

/// HMAC-SHA256, 64 hexadecimal digits.
std::string seal_of(const std::string& key, std::string_view text);

} // namespace audit
