// What a server says of itself as a protected resource (RFC 9728): who gives tokens for it.
#pragma once

#include "oauth_client/challenge.hpp"
#include "oauth_client/parsed.hpp"
#include "oauth_client/scopes.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace oauth {

/// Of metadata of any kind, and of an answer to any request of ours.
inline constexpr size_t metadata_bytes_max = 256u << 10;
/// Of one server. Usually there is one.
inline constexpr size_t issuers_max = 20;

struct resource_metadata {
  std::string resource;             ///< goes into requests as `resource` (RFC 8707), as it is written
  std::vector<std::string> issuers; ///< `authorization_servers`; at least one
  scope_list scopes;
};

/// Where to look, in this order, until one is there. With an address in the challenge it is only that. Empty:
/// `server_url` is no address.
std::vector<std::string> resource_metadata_urls(std::string_view server_url, const challenge& told);

/// `resource` has to be the server: the same origin, and the server's path is within its path. Anything else would have
/// us ask for tokens of another server.
parsed<resource_metadata> parse_resource_metadata(std::string_view text, std::string_view server_url);

/// The `resource` of a server that has no such metadata: its address without query and fragment. Empty: it is no
/// address.
std::string resource_of(std::string_view server_url);

} // namespace oauth
