// A new token for an account, by its refresh token or as a machine: one at a time among all processes.
#pragma once

#include "login/account.hpp"
#include "login/account_file.hpp"
#include "login/environment.hpp"

#include <asio/awaitable.hpp>

#include <optional>
#include <string>

namespace login {

struct renewal_wish {
  std::string stale;     ///< `Bearer ...` that is refused or expires soon; empty: there is none
  std::string challenge; ///< of the refusal, as it came; empty: none
};

struct renewal {
  std::optional<account> value; ///< as it is in the file now
  bool is_renewed = false;      ///< it has another token than the stale one
  bool is_just_given = false;   ///< by the authorization server, now
  bool needs_login = false;
  std::string why; ///< not renewed: the rest of a sentence about the server
};

/// Takes the lock, reads the account again (another process may have been faster), and else asks the authorization
/// server. New tokens are on disk before they are used. A refresh token that is refused is removed from the file; one
/// that got no answer stays.
asio::awaitable<renewal> renew(environment of, target at, renewal_wish wish);

/// After a 403 that asks for more scopes: they are kept for the next login, or asked for at once as a machine.
asio::awaitable<renewal> step_up(environment of, target at, renewal_wish wish);

/// `wants a login; log in with ...`.
std::string login_advice(const target& at, const std::string& wish);

} // namespace login
