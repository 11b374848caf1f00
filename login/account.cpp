#include "login/account.hpp"

#include "login/environment.hpp"
#include "text/json_parse.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace login {

namespace json = boost::json;

namespace {

constexpr int64_t account_version = 1;
constexpr std::array<std::string_view, 3> origins{"configured", "document", "registered"};

json::value list_of(const oauth::scope_list& scopes) { return json::value(json::string{oauth::join_scopes(scopes)}); }

/// Reads members that have to be there and of their type.
class account_members {
public:
  explicit account_members(const json::object& of) : object_(of) {}

  std::string text(std::string_view name) {
    auto* found = object_.if_contains(name);
    is_whole_ = is_whole_ && found && found->is_string();
    return is_whole_ ? std::string{found->get_string()} : std::string{};
  }
  int64_t number(std::string_view name) {
    auto* found = object_.if_contains(name);
    is_whole_ = is_whole_ && found && found->is_int64();
    return is_whole_ ? found->get_int64() : 0;
  }
  bool is_whole() const { return is_whole_; }

private:
  const json::object& object_;
  bool is_whole_ = true;
};

bool read_client(account_members& from, known_client& out) {
  out.identity.id = from.text("client_id");
  out.identity.secret = from.text("client_secret");
  out.redirect_uri = from.text("redirect_uri");
  out.secret_expires_s = from.number("client_secret_expires_s");
  auto how = oauth::parse_client_authentication(from.text("client_authentication"));
  auto origin = from.text("client_origin");
  for (size_t i = 0; i < origins.size(); ++i)
    if (how && origin == origins[i]) {
      out.identity.how = *how;
      out.origin = static_cast<client_origin>(i);
      return true;
    }
  return false;
}

} // namespace

std::string account_text(const account& of) {
  auto& client = of.client;
  bool is_of_entry = client.origin == client_origin::configured;
  json::object out;
  out["version"] = account_version;
  out["server"] = of.server;
  out["url"] = of.url;
  out["issuer"] = of.issuer;
  out["resource"] = of.resource;
  out["token_endpoint"] = of.token_endpoint;
  out["revocation_endpoint"] = of.revocation_endpoint;
  out["client_id"] = client.identity.id;
  out["client_secret"] = is_of_entry ? std::string{} : client.identity.secret;
  out["client_secret_expires_s"] = client.secret_expires_s;
  out["client_authentication"] = oauth::to_string(client.identity.how);
  out["client_origin"] = origins[static_cast<size_t>(client.origin)];
  out["redirect_uri"] = client.redirect_uri;
  out["access_token"] = of.access_token;
  out["refresh_token"] = of.refresh_token;
  out["expires_s"] = of.expires_s;
  out["renew_s"] = of.renew_s;
  out["asked_scopes"] = list_of(of.asked_scopes);
  out["missing_scopes"] = list_of(of.missing_scopes);
  return text::to_text(json::value(std::move(out)));
}

oauth::parsed<account> parse_account(std::string_view text) {
  json::value value;
  auto wrong = text::parse_json(text, text::json_dialect::strict, value);
  if (!wrong.what.empty() || !value.is_object())
    return oauth::refused<account>("it is no JSON object");
  account_members from{value.get_object()};
  account out;
  if (from.number("version") != account_version)
    return oauth::refused<account>("it is of another version of this program");
  out.server = from.text("server");
  out.url = from.text("url");
  out.issuer = from.text("issuer");
  out.resource = from.text("resource");
  out.token_endpoint = from.text("token_endpoint");
  out.revocation_endpoint = from.text("revocation_endpoint");
  out.access_token = from.text("access_token");
  out.refresh_token = from.text("refresh_token");
  out.expires_s = from.number("expires_s");
  out.renew_s = from.number("renew_s");
  out.asked_scopes = oauth::split_scopes(from.text("asked_scopes"));
  out.missing_scopes = oauth::split_scopes(from.text("missing_scopes"));
  bool is_whole = read_client(from, out.client) && from.is_whole();
  if (!is_whole || !oauth::is_token(out.access_token))
    return oauth::refused<account>("it is not what this program writes");
  return {std::move(out), {}};
}

void take_tokens(account& into, const oauth::tokens& got) {
  into.access_token = got.access;
  auto life_s = got.life_s.value_or(0); // who says 0 says nothing: it would never count
  into.expires_s = life_s > 0 ? now_s() + life_s : 0;
  into.renew_s = life_s > 0 ? into.expires_s - std::min<int64_t>(renewal_lead.count(), life_s / 2) : 0;
  if (!got.refresh.empty())
    into.refresh_token = got.refresh;
}

oauth::client_identity identity_of(const account& of, std::string_view configured_id, std::string_view secret) {
  auto out = of.client.identity;
  if (of.client.origin == client_origin::configured)
    out.secret = out.id == configured_id ? secret : std::string_view{};
  return out;
}

bool is_due(const account& of) { return of.renew_s != 0 && now_s() >= of.renew_s; }

std::string bearer_of(const account& of) {
  bool counts = !of.access_token.empty() && (of.expires_s == 0 || now_s() < of.expires_s);
  return counts ? "Bearer " + of.access_token : std::string{};
}

} // namespace login
