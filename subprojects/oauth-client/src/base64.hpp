// base64 and base64url (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace oauth {

std::string base64_of(std::string_view bytes);
/// Without padding.
std::string base64url_of(std::string_view bytes);

} // namespace oauth
