// From an entry of a configuration to a server that can be reached over HTTP.
#pragma once

#include "config/environment.hpp"
#include "messages/errors.hpp"
#include "messages/servers.hpp"

#include <string>
#include <utility>
#include <vector>

namespace config {

struct http_launch {
  std::string url; ///< of http or https
  std::vector<std::pair<std::string, std::string>> headers;
  msg::login_settings login;        ///< how to log in there, variables replaced
  std::vector<std::string> secrets; ///< that no client or log is told
  /// For the log: what is sent with the name of a variable in it, because that is not set.
  std::vector<std::string> unset;
};

/// Whether its requests may say who we are by a login: not if the entry says that itself, or wants none.
bool takes_login(const http_launch& launch);

/// Variables in the entry are replaced; nothing at all without the user's word (needs_approval). A header that is a
/// variable of ours which is not set is left out; so are those of the protocol. The fault (server_start_failed) says
/// what is missing or wrong: an input, a file, an address; a header that no entry may set; it tells no value.
msg::outcome<http_launch> make_http_launch(const msg::server_entry& entry, const environment& env,
                                           const variable_lookup& variable);

} // namespace config
