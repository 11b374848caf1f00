// A login at one server, from its address to the account on disk.
#pragma once

#include "login/environment.hpp"
#include "login/loopback_listener.hpp"
#include "login/person_question.hpp"
#include "messages/errors.hpp"
#include "oauth_client/scopes.hpp"

#include <asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace login {

struct login_wishes {
  /// Shows the address to a person, or opens it in a browser: called once, on the loop's thread. Not called for
  /// machines. What it throws ends the login.
  std::function<void(const authorization_page& page)> open;
  /// Told after that, what a person can do whom the page there does not let in: a sentence without a full stop. May be
  /// empty; called only where there is something to say.
  std::function<void(const std::string& advice)> advise = {};
  std::chrono::milliseconds patience = login_patience; ///< for the person
  std::string challenge; ///< of the server's refusal, as it came; empty: the server is asked
};

struct login_report {
  std::string issuer;
  oauth::scope_list scopes;  ///< that were asked for; empty: none were named
  int64_t expires_s = 0;     ///< of the access token, since 1970; 0: it is not said
  bool is_refreshed = false; ///< it is renewed without a person
};

/// Fails with a whole sentence, in which nothing is secret: errc::needs_login (nobody came, the authorization server
/// has said no), server_unavailable (the server or its authorization server can not be used), internal (files, ports).
/// Cancelling the coroutine closes the port; nothing is kept of a login that has not ended.
asio::awaitable<msg::outcome<login_report>> log_in(environment of, target at, login_wishes wishes);

} // namespace login
