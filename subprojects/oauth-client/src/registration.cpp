#include "oauth_client/registration.hpp"

#include "json_members.hpp"
#include "oauth_client/authorization.hpp"
#include "oauth_client/resource_metadata.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace oauth {

namespace json = boost::json;

namespace {

client_authentication wished_at(const server_metadata& at) {
  auto& all = at.token_authentication;
  auto takes = [&](client_authentication how) {
    return std::find(all->begin(), all->end(), to_string(how)) != all->end();
  };
  if (!all || takes(client_authentication::none))
    return client_authentication::none;
  return choose_client_authentication(all, true).value_or(client_authentication::none);
}

std::string refusal_in(uint16_t status, std::string_view text) {
  json_members members{text, metadata_bytes_max};
  auto error = members.text("error"), description = members.text("error_description");
  bool is_told = members.problem().empty() && !error.empty();
  return "it has answered with HTTP status " + std::to_string(status)
         + (is_told ? ": " + error_text(error, description, {}) : "");
}

} // namespace

std::string registration_text(const registration_request& of, const server_metadata& at) {
  json::array redirects{json::value(of.redirect_uri)};
  json::array grants{json::value("authorization_code"), json::value("refresh_token")};
  json::array responses{json::value("code")};
  json::object out;
  out["client_name"] = of.client_name;
  out["redirect_uris"] = std::move(redirects);
  out["grant_types"] = std::move(grants);
  out["response_types"] = std::move(responses);
  out["token_endpoint_auth_method"] = to_string(wished_at(at));
  out["application_type"] = "native";
  if (!of.scopes.empty())
    out["scope"] = join_scopes(of.scopes);
  return text::to_text(json::value(std::move(out)));
}

parsed<registered_client> read_registration(uint16_t status, std::string_view text, const server_metadata& at) {
  if (status != 200 && status != 201)
    return refused<registered_client>(refusal_in(status, text));
  json_members members{text, metadata_bytes_max};
  registered_client out;
  auto& identity = out.identity;
  identity.id = members.needed_text("client_id");
  identity.secret = members.text("client_secret");
  out.secret_expires_s = members.seconds("client_secret_expires_at").value_or(0);
  auto method = members.text("token_endpoint_auth_method");
  if (!members.problem().empty())
    return refused<registered_client>("its answer can not be used: " + members.problem());
  auto how = method.empty() ? choose_client_authentication(at.token_authentication, !identity.secret.empty())
                            : parse_client_authentication(method);
  bool has_all = how && (*how == client_authentication::none || !identity.secret.empty());
  if (!has_all)
    return refused<registered_client>("it wants a way to authenticate that is not known here, or has given no secret");
  identity.how = *how;
  return {std::move(out), {}};
}

} // namespace oauth
