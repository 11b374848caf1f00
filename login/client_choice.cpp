#include "login/client_choice.hpp"

#include "login/requests.hpp"
#include "login/tokens.hpp"
#include "oauth_client/registration.hpp"

#include <utility>

namespace login {

namespace {

using chosen_client = oauth::parsed<known_client>;

chosen_client configured_client(const client_wish& wish) {
  auto& settings = wish.at.settings;
  if (auto refused = refusal_to_show_client(wish.at, wish.found, wish.known.value_or(account{})); !refused.empty())
    return oauth::refused<known_client>(std::move(refused));
  known_client out;
  out.origin = client_origin::configured;
  out.redirect_uri = wish.redirect_uri;
  out.identity.id = settings.client_id;
  out.identity.secret = settings.client_secret;
  auto how =
    oauth::choose_client_authentication(wish.found.issuer.token_authentication, !settings.client_secret.empty());
  if (!how)
    return oauth::refused<known_client>("has an authorization server that does not take a client with a secret");
  out.identity.how = *how;
  return {std::move(out), {}};
}

known_client document_client(const client_wish& wish) {
  known_client out;
  out.origin = client_origin::document;
  out.redirect_uri = wish.redirect_uri;
  out.identity.id = wish.at.settings.metadata_url;
  return out;
}

/// The port of its redirect may be another one now: those of this machine may differ (RFC 8252, 7.3).
std::optional<known_client> registered_before(const client_wish& wish) {
  auto& known = wish.known;
  bool is_it = known && known->issuer == wish.found.issuer.issuer && known->client.origin == client_origin::registered
               && !known->client.identity.id.empty();
  bool counts = is_it && (known->client.secret_expires_s == 0 || known->client.secret_expires_s > now_s());
  return counts ? std::optional{known->client} : std::nullopt;
}

asio::awaitable<chosen_client> register_client(environment of, client_wish wish) {
  oauth::registration_request about;
  about.client_name = "code-executor";
  about.redirect_uri = wish.redirect_uri;
  about.scopes = wish.scopes;
  web_question question;
  question.method = "POST";
  question.url = wish.found.issuer.registration_endpoint;
  question.server_url = wish.at.url;
  question.fields = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
  question.body = oauth::registration_text(about, wish.found.issuer);
  auto answer = co_await ask(of, std::move(question));
  auto read = oauth::refused<oauth::registered_client>(answer.problem);
  if (answer.status != 0)
    read = oauth::read_registration(answer.status, answer.body, wish.found.issuer);
  if (!read.ok() && wish.found.is_assumed)
    co_return oauth::refused<known_client>(
      "offers no login that can be found: it names no authorization server, and registers nobody itself ("
      + read.problem + "); if its entry has headers that say who asks, look whether they are right");
  if (!read.ok())
    co_return oauth::refused<known_client>(
      "has an authorization server that does not register us: " + read.problem
      + "; put \"oauth\": {\"clientId\": ...} into its entry, with an id that was given out there");
  known_client out;
  out.origin = client_origin::registered;
  out.redirect_uri = wish.redirect_uri;
  out.identity = std::move(read.value.identity);
  out.secret_expires_s = read.value.secret_expires_s;
  co_return chosen_client{std::move(out), {}};
}

} // namespace

asio::awaitable<oauth::parsed<known_client>> choose_client(environment of, client_wish wish) {
  if (!wish.at.settings.client_id.empty())
    co_return configured_client(wish);
  if (wish.found.issuer.takes_client_documents && !wish.at.settings.metadata_url.empty())
    co_return chosen_client{document_client(wish), {}};
  if (auto before = registered_before(wish))
    co_return chosen_client{std::move(*before), {}};
  if (wish.found.issuer.registration_endpoint.empty())
    co_return oauth::refused<known_client>(
      "has an authorization server where clients do not register themselves: put \"oauth\": {\"clientId\": ...} into "
      "its entry, with an id that was given out there");
  auto out = co_await register_client(of, std::move(wish));
  co_return out;
}

} // namespace login
