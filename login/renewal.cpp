#include "login/renewal.hpp"

#include "login/account_authorization.hpp"
#include "login/tokens.hpp"
#include "oauth_client/challenge.hpp"
#include "text/utf8.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace login {

using msg::errc;

namespace {

constexpr size_t shown_scopes_bytes_max = 300;

renewal wants_login(const target& at, std::optional<account> known, const std::string& wish) {
  renewal out;
  out.value = std::move(known);
  out.needs_login = true;
  out.why = login_advice(at, wish);
  return out;
}

renewal failed_renewal(std::optional<account> known, std::string why) {
  renewal out;
  out.value = std::move(known);
  out.why = std::move(why);
  return out;
}

/// Tokens count even if they can not be kept: the old ones may not be used again.
renewal renewed_account(const target& at, account now, const msg::fault& unwritten) {
  if (unwritten.code != errc::none)
    spdlog::warn("the new login of server '{}' is not kept: {}", at.name, unwritten.message);
  renewal out;
  out.value = std::move(now);
  out.is_renewed = true;
  out.is_just_given = true;
  return out;
}

bool is_useful(const std::optional<account>& known, const std::string& stale) {
  if (!known || is_due(*known))
    return false;
  auto bearer = bearer_of(*known);
  return !bearer.empty() && bearer != stale;
}

asio::awaitable<renewal> renew_as_machine(environment of, target at, account_lock lock, std::optional<account> known,
                                          std::string challenge) {
  account_file file{of, at.name, at.url};
  discovery_hints hints;
  hints.challenge = std::move(challenge);
  auto before = known.value_or(account{});
  auto got = co_await log_in_as_machine(of, at, std::move(hints), std::move(before));
  if (!got.ok())
    co_return failed_renewal(std::move(known), got.problem);
  auto unwritten = co_await file.write(std::move(lock), got.value);
  co_return renewed_account(at, std::move(got.value), unwritten);
}

asio::awaitable<renewal> renew_by_refresh(environment of, target at, account_lock lock, account known) {
  account_file file{of, at.name, at.url};
  auto answer = co_await refresh(of, at, known);
  if (answer.ok()) {
    take_tokens(known, answer.value);
    auto unwritten = co_await file.write(std::move(lock), known);
    co_return renewed_account(at, std::move(known), unwritten);
  }
  auto why = "has an authorization server that gives no new token: it " + answer.problem;
  if (answer.error.empty())
    co_return failed_renewal(std::move(known), std::move(why));
  bool is_client_gone = answer.error == "invalid_client" || answer.error == "unauthorized_client";
  if (answer.error != "invalid_grant" && !is_client_gone)
    co_return failed_renewal(std::move(known), std::move(why));
  known.refresh_token.clear();
  if (is_client_gone && known.client.origin == client_origin::registered)
    known.client.identity = {}; // the next login registers anew
  auto unwritten = co_await file.write(std::move(lock), known);
  if (unwritten.code != errc::none)
    spdlog::warn("the login of server '{}' has ended, which is not kept: {}", at.name, unwritten.message);
  co_return wants_login(at, std::move(known), "wants a new login, the last one has ended (" + answer.error + ")");
}

std::string rights_text(const oauth::scope_list& scopes) {
  return "(scopes " + text::quoted(oauth::join_scopes(scopes), shown_scopes_bytes_max) + ")";
}

/// The same refusal after a login that asked for all of it: another one would change nothing.
bool is_asked_already(const account& known, const oauth::scope_list& wanted) {
  return oauth::union_of(known.asked_scopes, wanted).size() == known.asked_scopes.size();
}

} // namespace

std::string login_advice(const target& at, const std::string& wish) {
  return wish + "; log in with `" + msg::command_to_login(at.name) + "`";
}

asio::awaitable<renewal> renew(environment of, target at, renewal_wish wish) {
  account_file file{of, at.name, at.url};
  auto lock = co_await file.lock();
  if (!lock.ok())
    co_return failed_renewal(std::nullopt, "can not be logged in at: " + lock.error.message);
  auto stored = co_await file.read();
  if (is_useful(stored.value, wish.stale)) {
    renewal out;
    out.value = std::move(stored.value);
    out.is_renewed = true;
    co_return out;
  }
  if (at.settings.is_for_machines && !stored.problem.empty()) // it may have said who alone gets the secret
    co_return failed_renewal(std::nullopt, "can not be logged in at: " + stored.problem + "; remove that file");
  if (at.settings.is_for_machines) {
    auto machine =
      co_await renew_as_machine(of, at, std::move(lock.value), std::move(stored.value), std::move(wish.challenge));
    co_return machine;
  }
  if (!stored.value)
    co_return wants_login(at, std::nullopt, "wants a login");
  if (stored.value->refresh_token.empty())
    co_return wants_login(at, std::move(stored.value), "wants a new login");
  auto refreshed = co_await renew_by_refresh(of, at, std::move(lock.value), std::move(*stored.value));
  co_return refreshed;
}

asio::awaitable<renewal> step_up(environment of, target at, renewal_wish wish) {
  account_file file{of, at.name, at.url};
  auto wanted = oauth::split_scopes(oauth::read_challenge(wish.challenge).scope);
  auto lock = co_await file.lock();
  if (!lock.ok())
    co_return failed_renewal(std::nullopt, "wants more rights: " + lock.error.message);
  auto stored = co_await file.read();
  bool is_newer = is_useful(stored.value, wish.stale);
  if (!stored.value)
    co_return wants_login(at, std::nullopt, "wants a login with more rights " + rights_text(wanted));
  auto& known = *stored.value;
  if (is_newer) {
    renewal out;
    out.value = std::move(known);
    out.is_renewed = true;
    co_return out;
  }
  if (is_asked_already(known, wanted)) {
    auto why = "refuses it for want of rights that the last login asked for " + rights_text(wanted);
    co_return failed_renewal(std::move(stored.value), std::move(why));
  }
  known.missing_scopes = oauth::union_of(oauth::union_of(known.asked_scopes, known.missing_scopes), wanted);
  if (at.settings.is_for_machines) {
    auto machine = co_await renew_as_machine(of, at, std::move(lock.value), std::move(stored.value), wish.challenge);
    co_return machine;
  }
  auto unwritten = co_await file.write(std::move(lock.value), known);
  if (unwritten.code != errc::none)
    spdlog::warn("which rights server '{}' wants is not kept: {}", at.name, unwritten.message);
  renewal out;
  out.needs_login = true;
  out.why = "needs more rights " + rights_text(known.missing_scopes) + ": log in again with `"
            + msg::command_to_login(at.name) + "`";
  out.value = std::move(stored.value);
  co_return out;
}

} // namespace login
