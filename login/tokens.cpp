#include "login/tokens.hpp"

#include "login/requests.hpp"

#include <algorithm>
#include <utility>

namespace login {

namespace {

/// Who does not say which grants it takes may take this one.
bool takes_machines(const oauth::server_metadata& issuer) {
  return !issuer.grants
         || std::find(issuer.grants->begin(), issuer.grants->end(), "client_credentials") != issuer.grants->end();
}

} // namespace

asio::awaitable<oauth::token_answer> ask_for_tokens(environment of, token_question what) {
  web_question question;
  question.method = "POST";
  question.url = std::move(what.endpoint);
  question.server_url = std::move(what.server_url);
  question.fields = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}};
  if (!what.request.authorization.empty())
    question.fields.push_back({"Authorization", std::move(what.request.authorization)});
  question.body = std::move(what.request.body);
  auto answer = co_await ask(of, std::move(question));
  oauth::token_answer out;
  if (answer.status == 0)
    out.problem = "could not be asked: " + answer.problem;
  else
    out = oauth::read_token_response(answer.status, answer.body, what.secrets);
  co_return out;
}

asio::awaitable<oauth::token_answer> refresh(environment of, target at, account with) {
  auto identity = identity_of(with, at.settings.client_id, at.settings.client_secret);
  token_question question;
  question.endpoint = with.token_endpoint;
  question.server_url = at.url;
  question.request = oauth::refresh_request(identity, with.refresh_token, with.resource);
  question.secrets = {with.refresh_token, with.access_token, identity.secret};
  auto out = co_await ask_for_tokens(of, std::move(question));
  co_return out;
}

oauth::scope_list scopes_of(const target& at, const discovered& found, const account& known) {
  oauth::scope_sources from;
  from.configured = at.settings.scopes;
  from.challenged = oauth::split_scopes(found.challenge.scope);
  from.of_resource = found.resource_scopes;
  from.of_issuer = found.issuer.scopes;
  if (known.issuer == found.issuer.issuer && !known.missing_scopes.empty())
    from.earlier_asked = oauth::union_of(known.asked_scopes, known.missing_scopes);
  return oauth::choose_scopes(from);
}

std::string refusal_to_show_client(const target& at, const discovered& found, const account& known) {
  bool is_elsewhere = known.client.origin == client_origin::configured && !known.issuer.empty()
                      && known.client.identity.id == at.settings.client_id && known.issuer != found.issuer.issuer;
  if (!is_elsewhere)
    return {};
  return "names '" + shown_address(found.issuer.issuer)
         + "' as its authorization server, and the client id of its entry " + "was used at '"
         + shown_address(known.issuer) + "'; log out first, if that is right";
}

account account_at(const target& at, const discovered& found) {
  account out;
  out.server = at.name;
  out.url = at.url;
  out.issuer = found.issuer.issuer;
  out.resource = found.resource;
  out.token_endpoint = found.issuer.token_endpoint;
  out.revocation_endpoint = found.issuer.revocation_endpoint;
  return out;
}

asio::awaitable<oauth::parsed<account>> log_in_as_machine(environment of, target at, discovery_hints hints,
                                                          account known) {
  auto& settings = at.settings;
  if (settings.client_id.empty() || settings.client_secret.empty())
    co_return oauth::refused<account>("is logged in at as a machine, for which its entry lacks a client id or secret");
  hints.issuer = known.issuer;
  auto found = co_await discover(of, at, std::move(hints));
  if (!found.ok())
    co_return oauth::refused<account>(found.problem);
  if (auto refused = refusal_to_show_client(at, found.value, known); !refused.empty())
    co_return oauth::refused<account>(std::move(refused));
  auto& issuer = found.value.issuer;
  auto how = oauth::choose_client_authentication(issuer.token_authentication, true);
  bool is_possible = how && *how != oauth::client_authentication::none && takes_machines(issuer);
  if (!is_possible)
    co_return oauth::refused<account>("has an authorization server that does not take machines with a client secret");
  auto out = account_at(at, found.value);
  out.client.origin = client_origin::configured;
  out.client.identity.id = settings.client_id;
  out.client.identity.how = *how;
  out.asked_scopes = scopes_of(at, found.value, known);
  auto identity = identity_of(out, settings.client_id, settings.client_secret);
  token_question question;
  question.endpoint = out.token_endpoint;
  question.server_url = at.url;
  question.request = oauth::machine_request(identity, out.asked_scopes, out.resource);
  question.secrets = {identity.secret};
  auto answer = co_await ask_for_tokens(of, std::move(question));
  if (!answer.ok())
    co_return oauth::refused<account>("has an authorization server that " + answer.problem);
  take_tokens(out, answer.value);
  out.refresh_token.clear(); // a new token is had as easily
  co_return oauth::parsed<account>{std::move(out), {}};
}

} // namespace login
