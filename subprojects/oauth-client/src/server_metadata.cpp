#include "oauth_client/server_metadata.hpp"

#include "json_members.hpp"
#include "oauth_client/address.hpp"
#include "oauth_client/resource_metadata.hpp"

#include <algorithm>
#include <utility>

namespace oauth {

std::vector<std::string> server_metadata_urls(std::string_view issuer) {
  constexpr std::string_view of_oauth = "/.well-known/oauth-authorization-server";
  constexpr std::string_view of_openid = "/.well-known/openid-configuration";
  auto at = parse_address(issuer);
  if (!at || at->has_query || at->has_fragment || at->has_user)
    return {};
  auto origin = origin_of(*at), path = at->path;
  if (path.ends_with('/'))
    path.pop_back();
  std::vector<std::string> out;
  for (auto place : {of_oauth, of_openid})
    out.push_back(std::string{origin}.append(place).append(path));
  if (!path.empty())
    out.push_back(origin + path + std::string{of_openid});
  return out;
}

parsed<server_metadata> parse_server_metadata(std::string_view text, std::string_view issuer, flow what) {
  json_members members{text, metadata_bytes_max};
  server_metadata out;
  out.issuer = members.needed_text("issuer", address_bytes_max);
  if (members.problem().empty() && out.issuer != issuer)
    return refused<server_metadata>("it is of another issuer than the one that was asked");
  out.authorization_endpoint = members.text("authorization_endpoint", address_bytes_max);
  out.token_endpoint = members.needed_text("token_endpoint", address_bytes_max);
  out.registration_endpoint = members.text("registration_endpoint", address_bytes_max);
  out.revocation_endpoint = members.text("revocation_endpoint", address_bytes_max);
  out.scopes = valid_scopes(members.texts("scopes_supported").value_or(scope_list{}));
  out.token_authentication = members.texts("token_endpoint_auth_methods_supported");
  out.grants = members.texts("grant_types_supported");
  out.takes_client_documents = members.flag("client_id_metadata_document_supported");
  out.tells_issuer = members.flag("authorization_response_iss_parameter_supported");
  auto challenges = members.texts("code_challenge_methods_supported").value_or(std::vector<std::string>{});
  if (!members.problem().empty())
    return refused<server_metadata>(members.problem());
  if (what == flow::person && std::find(challenges.begin(), challenges.end(), "S256") == challenges.end())
    return refused<server_metadata>("it does not say that it takes PKCE with S256 (code_challenge_methods_supported)");
  return {std::move(out), {}};
}

std::optional<server_metadata> default_server_metadata(std::string_view server_url) {
  auto server = parse_address(server_url);
  if (!server)
    return std::nullopt;
  server_metadata out;
  out.issuer = origin_of(*server);
  out.authorization_endpoint = out.issuer + "/authorize";
  out.token_endpoint = out.issuer + "/token";
  out.registration_endpoint = out.issuer + "/register";
  return out;
}

std::string refusal_of_endpoints(const server_metadata& of, std::string_view server_url) {
  const std::pair<const char*, const std::string&> all[] = {{"authorization_endpoint", of.authorization_endpoint},
                                                            {"token_endpoint", of.token_endpoint},
                                                            {"registration_endpoint", of.registration_endpoint},
                                                            {"revocation_endpoint", of.revocation_endpoint}};
  for (auto& [name, url] : all)
    if (auto why = url.empty() ? std::string{} : refusal_of(url, server_url); !why.empty())
      return std::string{"its "} + name + " is not used: " + why;
  return {};
}

} // namespace oauth
