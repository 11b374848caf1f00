// A client makes itself known to an authorization server (RFC 7591).
#pragma once

#include "oauth_client/client_authentication.hpp"
#include "oauth_client/parsed.hpp"
#include "oauth_client/scopes.hpp"
#include "oauth_client/server_metadata.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace oauth {

struct registration_request {
  std::string client_name;
  std::string redirect_uri;
  scope_list scopes; ///< empty: the member is left out
};

/// JSON, for a POST to its registration_endpoint. `none` is asked for, or else what the metadata names.
std::string registration_text(const registration_request& of, const server_metadata& at);

struct registered_client {
  client_identity identity;
  int64_t secret_expires_s = 0; ///< since 1970; 0: never
};

/// `status`: 200 and 201 are answers. What the server says of the way to authenticate counts more than what was asked.
parsed<registered_client> read_registration(uint16_t status, std::string_view text, const server_metadata& at);

} // namespace oauth
