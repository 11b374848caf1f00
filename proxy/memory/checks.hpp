// Whether a request is one that the store can take: names and sizes.
#pragma once

#include "messages/errors.hpp"
#include "messages/memory.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memory {

/// Of a name in a complaint.
inline constexpr size_t quoted_bytes_max = 60;

/// The JSON texts of a request, written once.
struct written {
  std::string value;
  std::string metadata;
};

/// The fault names the limit.
msg::outcome<written> check(const msg::memory_request& request);

/// What may stand behind `def`: letters, digits and underscores of ASCII, no leading digit, no keyword.
bool is_python_name(std::string_view name);

} // namespace memory
