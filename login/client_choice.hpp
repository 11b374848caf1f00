// As whom we log in at an authorization server.
#pragma once

#include "login/account.hpp"
#include "login/discovery.hpp"
#include "login/environment.hpp"

#include <asio/awaitable.hpp>

#include <optional>
#include <string>

namespace login {

struct client_wish {
  target at;
  discovered found;
  std::optional<account> known; ///< of the last login; counts for the same authorization server only
  std::string redirect_uri;
  oauth::scope_list scopes;
};

/// What the entry names; else a document about us, if it is read there; else what was registered at the last login;
/// else registered now, with one request. A problem is the rest of a sentence about the server.
asio::awaitable<oauth::parsed<known_client>> choose_client(environment of, client_wish wish);

} // namespace login
