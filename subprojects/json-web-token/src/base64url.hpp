// base64url without padding (RFC 7515, 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace json_web_token {

/// Nothing: it is none.
std::optional<std::string> decode_base64url(std::string_view text);

} // namespace json_web_token
