// The account of a server as its connection uses it: the token for each request, renewed before it expires and when the
// server refuses it.
#pragma once

#include "login/environment.hpp"
#include "mcp/http_authorization.hpp"

#include <chrono>
#include <memory>

namespace login {

/// After an authorization server gave no answer, it is not asked by value() for so long.
inline constexpr std::chrono::seconds renewal_pause{10};
/// Tokens that are refused so soon after they came are renewed so many times in a row: a server that takes them back
/// does so now and then, and one that likes none is not asked for ever.
inline constexpr std::chrono::seconds fresh_token_age{60};
inline constexpr int fresh_refusals_max = 5;

/// Of one connection; several for one server, in one process or several, share the file of the account: a login counts
/// at once for all, and of a refresh token one of them makes use. Tokens are for requests to the origin of `at.url`,
/// and the connection sends them nowhere else. Renewals go on when the caller is cancelled, so that no rotated token is
/// lost. `why` is the rest of a sentence about the server, without anything secret.
std::shared_ptr<mcp::http_authorization> open_account(environment of, target at);

} // namespace login
