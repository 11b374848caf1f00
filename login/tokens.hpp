// Tokens from the endpoint of an authorization server.
#pragma once

#include "login/account.hpp"
#include "login/discovery.hpp"
#include "login/environment.hpp"
#include "oauth_client/token_request.hpp"
#include "oauth_client/token_response.hpp"

#include <asio/awaitable.hpp>

#include <string>
#include <vector>

namespace login {

struct token_question {
  std::string endpoint;
  std::string server_url;
  oauth::token_request request;
  std::vector<std::string> secrets; ///< in the request: nothing of them is in a problem
};

/// One request. A problem is the rest of a sentence about the authorization server; `error` is empty when it has not
/// answered.
asio::awaitable<oauth::token_answer> ask_for_tokens(environment of, token_question what);

/// One request, with the account's refresh token, which may not be used again unless it gave no answer.
asio::awaitable<oauth::token_answer> refresh(environment of, target at, account with);

/// Client credentials: nobody is asked. Discovers anew; writes no file. `known`: of the last time, for what was missing
/// then. A problem is the rest of a sentence about the server.
asio::awaitable<oauth::parsed<account>> log_in_as_machine(environment of, target at, discovery_hints hints,
                                                          account known);

/// Scopes of a new login. What was missing counts only at the issuer that it was missing at.
oauth::scope_list scopes_of(const target& at, const discovered& found, const account& known);

/// Why the client of the entry is not shown to the authorization server that was found: it was used at another one
/// before, and the server that names a new one would get its secret. The rest of a sentence about the server; empty: it
/// is.
std::string refusal_to_show_client(const target& at, const discovered& found, const account& known);

/// With what is the same for every kind of login, and without tokens.
account account_at(const target& at, const discovered& found);

} // namespace login
