// The forms of the keys and tokens of services.
#pragma once

#include "content_filter/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace content_filter {

/// What keeps names, placeholders (`sk-xxxx`) and code from being taken for a secret, where the form alone does not.
enum class proof : uint8_t {
  form,   ///< the form is enough
  mixed,  ///< a letter and a digit
  random, ///< three letters and three digits
};

/// Secrets that begin with the name of their kind.
struct secret_kind {
  const char* service;
  std::string_view prefix;
  byte_set set;     ///< what follows the prefix goes on as long as these do
  const char* rest; ///< RE2, of all of it; of the first secret_bytes_max bytes if it is longer
  proof needs = proof::form;
  bool stands_alone = false; ///< not behind `-`, `_` or `.`: the prefix is short, or a word
};

/// Secrets that are told by the name that they are given to.
struct named_kind {
  const char* service;
  std::string_view name; ///< how the name ends: letters and digits, in lower case
  byte_set set;
  const char* value; ///< RE2, of all of it
  proof needs = proof::form;
};

std::span<const secret_kind> secret_kinds();
std::span<const named_kind> named_kinds();

} // namespace content_filter
