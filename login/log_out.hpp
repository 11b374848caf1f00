// The end of a login.
#pragma once

#include "login/environment.hpp"
#include "messages/errors.hpp"

#include <asio/awaitable.hpp>

#include <string>

namespace login {

struct log_out_report {
  bool was_logged_in = false;
  bool is_revoked = false; ///< the authorization server has taken the tokens back
  std::string why;         ///< it has not: the rest of a sentence about the server
};

/// Tells the authorization server where that is possible (RFC 7009; at most two requests of request_patience), and
/// removes the account's file in any case. Fails only if that fails.
asio::awaitable<msg::outcome<log_out_report>> log_out(environment of, target at);

} // namespace login
