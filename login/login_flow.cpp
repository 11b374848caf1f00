#include "login/login_flow.hpp"

#include "login/account_file.hpp"
#include "login/client_choice.hpp"
#include "login/tokens.hpp"
#include "oauth_client/authorization.hpp"
#include "oauth_client/pkce.hpp"

#include <optional>
#include <utility>

namespace login {

using msg::errc;
using msg::fault;

namespace {

fault failure_at(errc code, const target& at, const std::string& why) {
  return fault{code, "server '" + at.name + "' " + why}.at(at.name);
}

/// Everything that stands before the browser is opened.
struct begun_login {
  discovered found;
  known_client client;
  oauth::scope_list scopes;
  std::string redirect_uri, state, verifier;
  bool is_client_of_before = false; ///< registered at an earlier login: the authorization server may have forgotten it
};

/// One that does not know a client, or its redirect, shows a page that says so, and sends nobody back (RFC 6749,
/// 4.1.2.1): here that looks as if the person took long.
std::string advice_if_forgotten(const target& at) {
  return "if the page there says that the client is unknown, or that its redirect_uri is wrong: log out with `"
         + msg::command_to_logout(at.name) + "`, and log in again; then we are registered there anew";
}

authorization_page page_of(const begun_login& of) {
  oauth::authorization_request request;
  request.endpoint = of.found.issuer.authorization_endpoint;
  request.client_id = of.client.identity.id;
  request.redirect_uri = of.redirect_uri;
  request.scopes = of.scopes;
  request.state = of.state;
  request.code_challenge = oauth::s256_of(of.verifier);
  request.resource = of.found.resource;
  return {oauth::authorization_url(request), of.found.issuer.issuer, of.scopes};
}

oauth::authorization_expectation expectation_of(const begun_login& of) {
  oauth::authorization_expectation out;
  out.state = of.state;
  out.issuer = of.found.issuer.issuer;
  out.tells_issuer = of.found.issuer.tells_issuer;
  return out;
}

asio::awaitable<msg::outcome<begun_login>> begin(environment of, target at, discovery_hints hints,
                                                 std::optional<account> known, std::string redirect_uri) {
  begun_login out;
  auto found = co_await discover(of, at, std::move(hints));
  if (!found.ok())
    co_return failure_at(errc::server_unavailable, at, found.problem);
  out.found = std::move(found.value);
  if (out.found.issuer.authorization_endpoint.empty())
    co_return failure_at(errc::server_unavailable, at, "has an authorization server that no browser can log in at");
  out.scopes = scopes_of(at, out.found, known.value_or(account{}));
  client_wish wish;
  wish.at = at;
  wish.found = out.found;
  auto id_before = known ? known->client.identity.id : std::string{};
  wish.known = std::move(known);
  wish.redirect_uri = redirect_uri;
  wish.scopes = out.scopes;
  auto client = co_await choose_client(of, std::move(wish));
  if (!client.ok())
    co_return failure_at(errc::server_unavailable, at, client.problem);
  out.client = std::move(client.value);
  out.is_client_of_before = out.client.origin == client_origin::registered && out.client.identity.id == id_before;
  out.redirect_uri = std::move(redirect_uri);
  out.state = oauth::random_text();
  out.verifier = oauth::random_text();
  if (out.state.empty() || out.verifier.empty())
    co_return fault{errc::internal, "the system gives no random bytes for a login; try again later"};
  co_return out;
}

std::string nobody_came(const target& at, const begun_login& of, const login_wishes& wishes) {
  auto whole_s = std::chrono::duration_cast<std::chrono::seconds>(wishes.patience).count();
  return "was not logged in at: nobody came back from the browser within " + std::to_string(whole_s) + " s"
         + (of.is_client_of_before ? "; " + advice_if_forgotten(at) : "");
}

/// The code for tokens.
asio::awaitable<oauth::parsed<account>> exchange_code(environment of, target at, begun_login begun, std::string code) {
  auto out = account_at(at, begun.found);
  out.client = begun.client;
  oauth::code_grant grant;
  grant.code = code;
  grant.redirect_uri = begun.redirect_uri;
  grant.verifier = begun.verifier;
  grant.resource = begun.found.resource;
  token_question question;
  question.endpoint = out.token_endpoint;
  question.server_url = at.url;
  question.request = oauth::code_request(begun.client.identity, grant);
  question.secrets = {std::move(code), begun.verifier, begun.client.identity.secret};
  auto answer = co_await ask_for_tokens(of, std::move(question));
  bool is_client_gone = answer.error == "invalid_client" && out.client.origin == client_origin::registered;
  if (is_client_gone)
    answer.problem += "; log out first, then we are registered there anew";
  if (!answer.ok())
    co_return oauth::refused<account>(answer.problem);
  take_tokens(out, answer.value);
  // What is missing later is asked for beside what there was.
  bool is_named = !begun.scopes.empty();
  if (is_named)
    out.asked_scopes = std::move(begun.scopes);
  else
    out.asked_scopes = answer.value.scopes.value_or(oauth::scope_list{});
  co_return oauth::parsed<account>{std::move(out), {}};
}

asio::awaitable<msg::outcome<account>> log_in_person(environment of, target at, login_wishes wishes,
                                                     std::optional<account> known) {
  uint16_t wished_port = 0;
  if (known)
    wished_port = port_of(known->client.redirect_uri);
  auto listener = loopback_listener::open(of.executor, wished_port);
  if (!listener.ok())
    co_return std::move(listener.error);
  discovery_hints hints;
  hints.challenge = wishes.challenge;
  if (known)
    hints.issuer = known->issuer;
  auto redirect_uri = listener.value->redirect_uri();
  auto begun = co_await begin(of, at, std::move(hints), std::move(known), std::move(redirect_uri));
  if (!begun.ok())
    co_return std::move(begun.error);
  auto expected = expectation_of(begun.value);
  auto page = page_of(begun.value);
  auto unfit = problem_of_page(page);
  if (!unfit.empty())
    co_return failure_at(errc::server_unavailable, at, "has an authorization server that " + unfit);
  wishes.open(page);
  if (begun.value.is_client_of_before && wishes.advise)
    wishes.advise(advice_if_forgotten(at));
  auto came = co_await listener.value->wait(std::move(expected), wishes.patience);
  if (!came.has_come)
    co_return failure_at(errc::needs_login, at, nobody_came(at, begun.value, wishes));
  if (!came.answer.problem.empty())
    co_return failure_at(errc::needs_login, at, "has an authorization server that " + came.answer.problem);
  auto code = std::move(came.answer.code);
  auto got = co_await exchange_code(of, at, std::move(begun.value), std::move(code));
  if (!got.ok())
    co_return failure_at(errc::needs_login, at, "has an authorization server that " + got.problem);
  co_return std::move(got.value);
}

asio::awaitable<msg::outcome<account>> log_in_either(environment of, target at, login_wishes wishes,
                                                     std::optional<account> known) {
  if (!at.settings.is_for_machines) {
    auto person = co_await log_in_person(of, at, std::move(wishes), std::move(known));
    co_return person;
  }
  discovery_hints hints;
  hints.challenge = std::move(wishes.challenge);
  auto before = known.value_or(account{});
  auto machine = co_await log_in_as_machine(of, at, std::move(hints), std::move(before));
  if (!machine.ok())
    co_return failure_at(errc::needs_login, at, machine.problem);
  co_return std::move(machine.value);
}

} // namespace

asio::awaitable<msg::outcome<login_report>> log_in(environment of, target at, login_wishes wishes) {
  account_file file{of, at.name, at.url};
  auto stored = co_await file.read();
  auto got = co_await log_in_either(of, at, std::move(wishes), std::move(stored.value));
  if (!got.ok())
    co_return std::move(got.error);
  login_report out;
  out.issuer = got.value.issuer;
  out.scopes = got.value.asked_scopes;
  out.expires_s = got.value.expires_s;
  out.is_refreshed = !got.value.refresh_token.empty() || at.settings.is_for_machines;
  auto lock = co_await file.lock();
  if (!lock.ok())
    co_return std::move(lock.error);
  auto failed = co_await file.write(std::move(lock.value), std::move(got.value));
  if (failed.code != errc::none)
    co_return failed;
  co_return out;
}

} // namespace login
