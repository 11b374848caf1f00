// The part of a login that a person's browser does: where it is sent, and what it comes back with.
#pragma once

#include "oauth_client/scopes.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace oauth {

struct authorization_request {
  std::string endpoint; ///< its own query is kept
  std::string client_id;
  std::string redirect_uri;
  scope_list scopes; ///< empty: the parameter is left out
  std::string state;
  std::string code_challenge; ///< by S256
  std::string resource;
};
std::string authorization_url(const authorization_request& of);

/// A longer query is none of an authorization server.
inline constexpr size_t authorization_query_bytes_max = 16u << 10;

struct authorization_expectation {
  std::string state;
  std::string issuer;
  bool tells_issuer = false; ///< its metadata says that `iss` always comes
};

struct authorization_answer {
  bool is_ours = false; ///< `state` is ours; else nothing is known of the others, and the login waits on
  std::string code;     ///< secret
  std::string problem;  ///< why there is no code: the rest of a sentence about the authorization server
};

/// Of the query that the browser came back with (RFC 6749, 4.1.2; RFC 9207).
authorization_answer read_authorization_answer(std::string_view query, const authorization_expectation& expected);

/// `error` and `error_description` of an answer as one text for a person: bounded, in one line. Nothing of what is in
/// `secrets` is in it, nor of how URLs, base64 and base64url spell that: a description that has it is left out.
std::string error_text(std::string_view error, std::string_view description, const std::vector<std::string>& secrets);

} // namespace oauth
