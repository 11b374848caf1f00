// What a person reads who is asked to log in, before the browser is opened.
#pragma once

#include "login/environment.hpp"
#include "oauth_client/scopes.hpp"

#include <cstddef>
#include <string>

namespace login {

/// Of the whole address that a person is sent to: browsers open no longer ones everywhere.
inline constexpr size_t page_address_bytes_max = 8u << 10;

/// Where the browser goes.
struct authorization_page {
  std::string url; ///< https, or http on this machine; of ours nothing secret is in it beside state and challenge
  std::string issuer;
  oauth::scope_list scopes; ///< that are asked for; empty: none are named
};

/// Why nobody is sent to such an address: the rest of a sentence about the authorization server. Empty: people are.
std::string problem_of_page(const authorization_page& page);

/// One line, without anything that moves a cursor: for which server, at whose word, for which rights, and on which
/// host.
std::string person_question(const target& at, const authorization_page& page);

} // namespace login
