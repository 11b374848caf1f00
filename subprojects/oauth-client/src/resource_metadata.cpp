#include "oauth_client/resource_metadata.hpp"

#include "json_members.hpp"
#include "oauth_client/address.hpp"

namespace oauth {

namespace {

constexpr std::string_view resource_place = "/.well-known/oauth-protected-resource";

std::string with_slash(std::string path) { return path.ends_with('/') ? path : path + '/'; }

bool is_within(const address& server, const address& resource) {
  return origin_of(server) == origin_of(resource) && with_slash(server.path).starts_with(with_slash(resource.path))
         && !resource.has_user;
}

} // namespace

std::vector<std::string> resource_metadata_urls(std::string_view server_url, const challenge& told) {
  auto server = parse_address(server_url);
  if (!server)
    return {};
  if (!told.resource_metadata.empty())
    return {told.resource_metadata};
  auto root = origin_of(*server).append(resource_place);
  auto path = server->path;
  if (path.ends_with('/'))
    path.pop_back();
  auto query = server->has_query ? "?" + server->query : "";
  if (path.empty() && query.empty())
    return {root};
  return {root + path + query, root};
}

parsed<resource_metadata> parse_resource_metadata(std::string_view text, std::string_view server_url) {
  json_members members{text, metadata_bytes_max};
  resource_metadata out;
  out.resource = members.needed_text("resource", address_bytes_max);
  out.issuers = members.texts("authorization_servers").value_or(std::vector<std::string>{});
  out.scopes = valid_scopes(members.texts("scopes_supported").value_or(scope_list{}));
  if (!members.problem().empty())
    return refused<resource_metadata>(members.problem());
  auto server = parse_address(server_url), resource = parse_address(out.resource);
  if (!server || !resource || resource->has_fragment || !is_within(*server, *resource))
    return refused<resource_metadata>("its 'resource' is another server");
  if (out.issuers.empty() || out.issuers.size() > issuers_max)
    return refused<resource_metadata>("'authorization_servers' does not name 1 to " + std::to_string(issuers_max));
  return {std::move(out), {}};
}

std::string resource_of(std::string_view server_url) {
  auto server = parse_address(server_url);
  return server ? std::string{server_url.substr(0, server_url.find_first_of("?#"))} : std::string{}; // may hold a key
}

} // namespace oauth
