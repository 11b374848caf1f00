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
  std::vector<std::string> secrets; ///< that no client or log is told
};

/// Variables in the entry are replaced; nothing at all without the user's word (needs_approval). A header that is a
/// variable of ours which is not set is left out. The fault (server_start_failed) says what is missing or wrong: an
/// input, a file, an address; it tells no value.
msg::outcome<http_launch> make_http_launch(const msg::server_entry& entry, const environment& env,
                                           const variable_lookup& variable);

} // namespace config
