// `WWW-Authenticate` (RFC 9110, 11.6.1): what a server says of the token that it wants (RFC 6750, 3; RFC 9728, 5.1).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace oauth {

/// A longer one says nothing. Servers send some hundred bytes.
inline constexpr size_t challenge_bytes_max = 8u << 10;

struct challenge {
  bool is_there = false; ///< there is one of the scheme Bearer
  std::string resource_metadata;
  std::string scope;
  std::string error;
  std::string error_description;
};

/// The first whole one of the scheme Bearer; other schemes are passed over, and so is one with a parameter twice or
/// with control characters. What follows a mistake in the syntax does not count.
challenge read_challenge(std::string_view field);

} // namespace oauth
