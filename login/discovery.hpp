// Who gives tokens for a server, and what is asked of us there: from its refusal over its metadata (RFC 9728) to those
// of its authorization server (RFC 8414, OpenID Connect).
#pragma once

#include "login/environment.hpp"
#include "oauth_client/challenge.hpp"
#include "oauth_client/parsed.hpp"
#include "oauth_client/scopes.hpp"
#include "oauth_client/server_metadata.hpp"

#include <asio/awaitable.hpp>

#include <string>

namespace login {

/// What is known already.
struct discovery_hints {
  std::string
    challenge;        ///< `WWW-Authenticate`, as it came; empty: the server is asked, with one request without a token
  std::string issuer; ///< of the last login: preferred, if the server still names it; empty: none
};

struct discovered {
  oauth::challenge challenge;
  std::string resource; ///< goes into every request
  oauth::scope_list resource_scopes;
  oauth::server_metadata issuer;
  /// Nobody has said anything of an authorization server: `issuer` is where one would be, as 2025-03-26 has it.
  bool is_assumed = false;
};

/// At most 6 requests, each of request_patience; none that a rule forbids. A problem is the rest of a sentence about
/// the server.
asio::awaitable<oauth::parsed<discovered>> discover(environment of, target at, discovery_hints hints);

} // namespace login
