// What an authorization server says of itself (RFC 8414, OpenID Connect Discovery).
#pragma once

#include "oauth_client/parsed.hpp"
#include "oauth_client/scopes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oauth {

/// Who logs in: a person with a browser, or a machine with its secret (client credentials).
enum class flow : uint8_t { person, machine };

struct server_metadata {
  std::string issuer;
  std::string authorization_endpoint; ///< empty: it has none (client credentials need none)
  std::string token_endpoint;
  std::string registration_endpoint; ///< empty: clients do not register themselves
  std::string revocation_endpoint;   ///< empty: there is none
  scope_list scopes;
  /// Nothing: it does not say, which means client_secret_basic (RFC 8414, 2).
  std::optional<std::vector<std::string>> token_authentication;
  std::optional<std::vector<std::string>> grants; ///< nothing: it does not say
  bool takes_client_documents = false;            ///< client_id_metadata_document_supported
  bool tells_issuer = false;                      ///< authorization_response_iss_parameter_supported (RFC 9207)
};

/// Where to look, in this order, until one is there. Empty: `issuer` is no address that an issuer can have.
std::vector<std::string> server_metadata_urls(std::string_view issuer);

/// `issuer`: who was asked; the metadata has to be of exactly that one, byte by byte. Who does not say that it takes
/// PKCE with S256 is refused, unless no browser takes part.
parsed<server_metadata> parse_server_metadata(std::string_view text, std::string_view issuer, flow what = flow::person);

/// Of a server of 2025-03-26 that has no metadata at all: it is its own authorization server, at known places of its
/// origin. Nothing: `server_url` is no address.
std::optional<server_metadata> default_server_metadata(std::string_view server_url);

/// Why an endpoint may not be asked (see refusal_of); empty: all may.
std::string refusal_of_endpoints(const server_metadata& of, std::string_view server_url);

} // namespace oauth
