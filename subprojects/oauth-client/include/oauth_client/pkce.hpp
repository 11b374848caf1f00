// What proves that who began a login also ends it: PKCE (RFC 7636), `state`.
#pragma once

#include <string>
#include <string_view>

namespace oauth {

/// 256 bits from the kernel, as 43 characters of base64url. Empty: it gives none; nothing may go on then.
std::string random_text();

/// `code_challenge` by S256 of a verifier, which is a random_text().
std::string s256_of(std::string_view verifier);

/// Without an early end, which would tell how far they agree. Empty texts are never the same: there is no secret then.
bool is_same_secret(std::string_view a, std::string_view b);

} // namespace oauth
