#include "oauth_client/token_request.hpp"

#include "base64.hpp"
#include "oauth_client/form.hpp"

#include <utility>

namespace oauth {

namespace {

token_request request_of(const client_identity& client, form fields) {
  token_request out;
  if (client.how == client_authentication::basic) {
    out.authorization = "Basic " + base64_of(form_encoded(client.id) + ":" + form_encoded(client.secret));
  } else {
    fields.emplace_back("client_id", client.id);
    if (client.how == client_authentication::post)
      fields.emplace_back("client_secret", client.secret);
  }
  out.body = form_text(fields);
  return out;
}

void add(form& to, std::string name, std::string_view value) {
  if (!value.empty())
    to.emplace_back(std::move(name), value);
}

} // namespace

token_request code_request(const client_identity& client, const code_grant& grant) {
  form fields{{"grant_type", "authorization_code"},
              {"code", grant.code},
              {"redirect_uri", grant.redirect_uri},
              {"code_verifier", grant.verifier}};
  add(fields, "resource", grant.resource);
  return request_of(client, std::move(fields));
}

token_request refresh_request(const client_identity& client, std::string_view refresh_token,
                              std::string_view resource) {
  form fields{{"grant_type", "refresh_token"}, {"refresh_token", std::string{refresh_token}}};
  add(fields, "resource", resource);
  return request_of(client, std::move(fields));
}

token_request machine_request(const client_identity& client, const scope_list& scopes, std::string_view resource) {
  form fields{{"grant_type", "client_credentials"}};
  add(fields, "scope", join_scopes(scopes));
  add(fields, "resource", resource);
  return request_of(client, std::move(fields));
}

token_request revocation_request(const client_identity& client, std::string_view token, std::string_view kind) {
  return request_of(client, {{"token", std::string{token}}, {"token_type_hint", std::string{kind}}});
}

} // namespace oauth
