// What is kept of a login at one server. All of it is secret but for the names and addresses.
#pragma once

#include "oauth_client/client_authentication.hpp"
#include "oauth_client/parsed.hpp"
#include "oauth_client/scopes.hpp"
#include "oauth_client/token_response.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace login {

/// How the authorization server came to know us.
enum class client_origin : uint8_t {
  configured, ///< by hand; the secret stays in the entry, and is not kept here
  document,   ///< it reads a document about us
  registered, ///< we told it
};

struct known_client {
  oauth::client_identity identity;
  client_origin origin = client_origin::registered;
  std::string redirect_uri;     ///< that it was registered with, or used last
  int64_t secret_expires_s = 0; ///< since 1970; 0: never
};

struct account {
  std::string server; ///< name of the entry
  std::string url;
  std::string issuer; ///< client and tokens are of this one, and nobody else is shown them
  std::string resource;
  std::string token_endpoint;
  std::string revocation_endpoint; ///< empty: there is none
  known_client client;
  std::string access_token;
  std::string refresh_token;        ///< empty: there is none
  int64_t expires_s = 0;            ///< of the access token, since 1970; 0: it is not said
  int64_t renew_s = 0;              ///< when it is renewed, likewise: before it expires
  oauth::scope_list asked_scopes;   ///< at the last login
  oauth::scope_list missing_scopes; ///< with those that the server has found missing since; empty: none are
};

std::string account_text(const account& of);
/// Of a text that account_text has made.
oauth::parsed<account> parse_account(std::string_view text);

/// A token is renewed so long before it expires: a request takes a while until the server looks at it. One that lives
/// shortly: after half of its life.
inline constexpr std::chrono::seconds renewal_lead{30};

/// A refresh token that did not come stays the one that there is.
void take_tokens(account& into, const oauth::tokens& got);

/// As the account's requests show it: with the secret of the entry where the client is of the entry.
oauth::client_identity identity_of(const account& of, std::string_view configured_id, std::string_view secret);

/// Whether it is time to renew the access token.
bool is_due(const account& of);

/// `Bearer ...`; empty: there is none, or it has expired.
std::string bearer_of(const account& of);

} // namespace login
