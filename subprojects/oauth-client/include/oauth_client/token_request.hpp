// Requests to the endpoint for tokens (RFC 6749, 4.1.3, 4.4.2 and 6), and to the one that takes them back (RFC 7009).
#pragma once

#include "oauth_client/client_authentication.hpp"
#include "oauth_client/scopes.hpp"

#include <string>
#include <string_view>

namespace oauth {

/// Of a POST with `Content-Type: application/x-www-form-urlencoded`. Both are secret.
struct token_request {
  std::string authorization; ///< value of the header; empty: there is none
  std::string body;
};

/// What the browser came back with, for tokens.
struct code_grant {
  std::string code;
  std::string redirect_uri;
  std::string verifier; ///< of PKCE
  std::string resource; ///< empty: the parameter is left out
};

token_request code_request(const client_identity& client, const code_grant& grant);
/// Without scopes: they stay as they are.
token_request refresh_request(const client_identity& client, std::string_view refresh_token, std::string_view resource);
token_request machine_request(const client_identity& client, const scope_list& scopes, std::string_view resource);
/// `kind`: access_token or refresh_token.
token_request revocation_request(const client_identity& client, std::string_view token, std::string_view kind);

} // namespace oauth
