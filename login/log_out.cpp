#include "login/log_out.hpp"

#include "login/account_file.hpp"
#include "login/requests.hpp"
#include "oauth_client/token_request.hpp"

#include <array>
#include <utility>

namespace login {

namespace {

/// Empty: it was told.
asio::awaitable<std::string> revoke(environment of, target at, std::string endpoint, oauth::token_request request) {
  web_question question;
  question.method = "POST";
  question.url = std::move(endpoint);
  question.server_url = at.url;
  question.fields = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}};
  if (!request.authorization.empty())
    question.fields.push_back({"Authorization", std::move(request.authorization)});
  question.body = std::move(request.body);
  auto answer = co_await ask(of, std::move(question));
  if (answer.status == 200)
    co_return std::string{};
  if (answer.status == 0)
    co_return "has an authorization server that could not be told: " + answer.problem;
  co_return "has an authorization server that has answered with HTTP status " + std::to_string(answer.status);
}

/// The refresh token first: with it the others end, at most servers.
asio::awaitable<std::string> revoke_all(environment of, target at, account what) {
  auto identity = identity_of(what, at.settings.client_id, at.settings.client_secret);
  const std::array<std::pair<const char*, std::string>, 2> all{
    {{"refresh_token", what.refresh_token}, {"access_token", what.access_token}}};
  std::string why;
  for (auto& [kind, token] : all) {
    if (token.empty())
      continue;
    auto request = oauth::revocation_request(identity, token, kind);
    auto failed = co_await revoke(of, at, what.revocation_endpoint, std::move(request));
    if (why.empty())
      why = std::move(failed);
  }
  co_return why;
}

} // namespace

asio::awaitable<msg::outcome<log_out_report>> log_out(environment of, target at) {
  account_file file{of, at.name, at.url};
  log_out_report out;
  auto lock = co_await file.lock();
  if (!lock.ok())
    co_return std::move(lock.error);
  auto stored = co_await file.read();
  out.was_logged_in = stored.value.has_value();
  if (stored.value && stored.value->revocation_endpoint.empty())
    out.why = "has an authorization server where tokens are not taken back: they count until they expire";
  else if (stored.value)
    out.why = co_await revoke_all(of, at, std::move(*stored.value));
  out.is_revoked = out.was_logged_in && out.why.empty();
  auto failed = co_await file.remove(std::move(lock.value));
  if (failed.code != msg::errc::none)
    co_return failed;
  co_return out;
}

} // namespace login
