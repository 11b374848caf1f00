#include "login/account_authorization.hpp"
#include "tests/unit/login/fake_web.hpp"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace account_authorization_test {

using namespace std::literals;
using authorization = std::shared_ptr<mcp::http_authorization>;

struct account_authorization_test : login_test::fake_web {
  int given = 0; ///< tokens

  account_authorization_test() {
    be_usual();
    on_token = [this](const oauth::form&) {
      auto n = std::to_string(++given);
      return std::pair{200, R"({"access_token":"a)" + n
                              + R"(","token_type":"Bearer","expires_in":3600,"refresh_token":"r)" + n + "\"}"};
    };
  }
  authorization open() { return login::open_account(environment, target); }
  std::string value(const authorization& of) { return test::run(io, of->value()); }
  static mcp::authorization_refusal refusal_of(std::string sent, uint16_t status = 401, std::string told = "Bearer") {
    mcp::authorization_refusal out;
    out.status = status;
    out.challenge = std::move(told);
    out.sent = std::move(sent);
    return out;
  }
  mcp::authorization_advice refused(const authorization& of, mcp::authorization_refusal what) {
    return test::run(io, of->refused(std::move(what)));
  }
  void accepted(const authorization& of, std::string sent, bool was_renewed) {
    mcp::said_authorization said;
    said.value = std::move(sent);
    said.was_renewed = was_renewed;
    bool has_ended = false;
    asio::co_spawn(io, of->accepted(std::move(said)), [&](const std::exception_ptr&) { has_ended = true; });
    run_until([&] { return has_ended; });
  }
  bool is_noted() { return login::is_login_wanted(folder.path(), target.name, target.url); }
  void store_expiring(int64_t in_s) {
    auto what = some_account();
    what.expires_s = login::now_s() + in_s;
    what.renew_s = what.expires_s - login::renewal_lead.count();
    store(what);
  }
  void be_machine() {
    target.settings.is_for_machines = true;
    target.settings.client_id = "bot";
    target.settings.client_secret = "bot-secret";
  }
};

TEST_F(account_authorization_test, without_an_account_wants_a_login) {
  auto of = open();
  EXPECT_EQ(value(of), "");
  auto advice = refused(of, refusal_of(""));
  EXPECT_TRUE(advice.needs_login);
  EXPECT_FALSE(advice.is_to_be_repeated);
  EXPECT_EQ(advice.why, "wants a login; log in with `code-executor login 'x y'`");
  EXPECT_TRUE(heard.empty()) << "nobody is asked";
}

TEST_F(account_authorization_test, a_login_made_meanwhile_counts_at_once) {
  auto of = open();
  EXPECT_EQ(value(of), "");
  store(some_account());
  EXPECT_TRUE(refused(of, refusal_of("")).is_to_be_repeated);
  EXPECT_EQ(value(of), "Bearer a0");
  auto newer = some_account();
  newer.access_token = "b0";
  store(newer);
  EXPECT_EQ(value(of), "Bearer b0");
  std::filesystem::remove(file().path());
  EXPECT_EQ(value(of), "");
  EXPECT_TRUE(heard.empty());
}

TEST_F(account_authorization_test, renews_before_a_token_expires) {
  store_expiring(login::renewal_lead.count() + 60);
  auto of = open();
  EXPECT_EQ(value(of), "Bearer a0");
  store_expiring(login::renewal_lead.count() - 5);
  EXPECT_EQ(value(of), "Bearer a1");
  EXPECT_EQ(value(of), "Bearer a1");
  ASSERT_EQ(token_requests.size(), 1u);
  EXPECT_EQ(field(token_requests[0], "grant_type"), "refresh_token");
  EXPECT_EQ(field(token_requests[0], "refresh_token"), "r0");
  EXPECT_EQ(field(token_requests[0], "resource"), target.url);
  EXPECT_EQ(field(token_requests[0], "scope"), "");
  EXPECT_EQ(stored().refresh_token, "r1") << "rotated";
}

TEST_F(account_authorization_test, keeps_a_refresh_token_that_is_not_rotated) {
  store_expiring(0);
  on_token = [](const oauth::form&) {
    return std::pair{200, std::string{R"({"access_token":"a9","token_type":"Bearer"})"}};
  };
  EXPECT_EQ(value(open()), "Bearer a9");
  EXPECT_EQ(stored().refresh_token, "r0");
  EXPECT_EQ(stored().expires_s, 0);
}

TEST_F(account_authorization_test, that_lives_shortly_is_not_renewed_at_once) {
  store_expiring(0);
  on_token = [this](const oauth::form&) {
    ++given;
    return std::pair{200, std::string{R"({"access_token":"short","token_type":"Bearer","expires_in":20})"}};
  };
  auto of = open();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(value(of), "Bearer short");
  EXPECT_EQ(given, 1);
  login::account into;
  oauth::tokens got;
  got.access = "x";
  got.life_s = 0;
  login::take_tokens(into, got);
  EXPECT_EQ(login::bearer_of(into), "Bearer x") << "a life of 0 says nothing";
}

TEST_F(account_authorization_test, of_two_one_makes_use_of_the_refresh_token) {
  store(some_account());
  auto a = open(), b = open();
  EXPECT_EQ(value(a), "Bearer a0");
  EXPECT_EQ(value(b), "Bearer a0");
  std::vector<mcp::authorization_advice> all;
  for (auto& of : {a, b, a, b, a})
    asio::co_spawn(io, of->refused(refusal_of("Bearer a0")),
                   [&](const std::exception_ptr&, mcp::authorization_advice got) { all.push_back(std::move(got)); });
  run_until([&] { return all.size() == 5; });
  for (auto& each : all)
    EXPECT_TRUE(each.is_to_be_repeated) << each.why;
  EXPECT_EQ(token_requests.size(), 1u);
  EXPECT_EQ(value(a), "Bearer a1");
  EXPECT_EQ(value(b), "Bearer a1");
}

TEST_F(account_authorization_test, does_not_renew_for_ever_what_was_just_given) {
  store(some_account());
  auto of = open();
  int given = 0;
  for (; given <= login::fresh_refusals_max; ++given)
    EXPECT_TRUE(refused(of, refusal_of("Bearer a" + std::to_string(given))).is_to_be_repeated);
  auto advice = refused(of, refusal_of("Bearer a" + std::to_string(given)));
  EXPECT_FALSE(advice.is_to_be_repeated);
  EXPECT_TRUE(advice.needs_login);
  EXPECT_NE(advice.why.find("code-executor login"), std::string::npos) << advice.why;
  EXPECT_EQ(token_requests.size(), size_t{login::fresh_refusals_max} + 1);
}

TEST_F(account_authorization_test, a_new_token_that_many_requests_had_counts_once) {
  store(some_account());
  auto of = open();
  EXPECT_TRUE(refused(of, refusal_of("Bearer a0")).is_to_be_repeated);
  std::vector<mcp::authorization_advice> all;
  constexpr size_t requests = size_t{4} * login::fresh_refusals_max;
  for (size_t i = 0; i < requests; ++i)
    asio::co_spawn(io, of->refused(refusal_of("Bearer a1")),
                   [&](const std::exception_ptr&, mcp::authorization_advice got) { all.push_back(std::move(got)); });
  run_until([&] { return all.size() == requests; });
  for (auto& each : all)
    EXPECT_TRUE(each.is_to_be_repeated) << each.why;
  EXPECT_EQ(token_requests.size(), 2u);
}

TEST_F(account_authorization_test, renews_as_often_as_that_helps) {
  store(some_account());
  auto of = open();
  for (int i = 0; i < 3 * login::fresh_refusals_max; ++i) {
    auto sent = "Bearer a" + std::to_string(i);
    EXPECT_TRUE(refused(of, refusal_of(sent)).is_to_be_repeated) << i;
    accepted(of, value(of), true);
  }
}

TEST_F(account_authorization_test, what_others_are_let_in_with_does_not_count_as_help) {
  store(some_account());
  auto of = open();
  int given = 0;
  for (; given <= login::fresh_refusals_max; ++given) {
    EXPECT_TRUE(refused(of, refusal_of("Bearer a" + std::to_string(given))).is_to_be_repeated);
    accepted(of, value(of), false);
  }
  EXPECT_TRUE(refused(of, refusal_of("Bearer a" + std::to_string(given))).needs_login);
}

TEST_F(account_authorization_test, a_new_token_that_is_refused_is_told_and_noted) {
  store(some_account());
  auto of = open();
  EXPECT_TRUE(refused(of, refusal_of("Bearer a0")).is_to_be_repeated);
  EXPECT_FALSE(is_noted());
  auto again = refusal_of("Bearer a1");
  again.was_renewed = true;
  auto advice = refused(of, again);
  EXPECT_TRUE(advice.needs_login);
  EXPECT_FALSE(advice.is_to_be_repeated);
  EXPECT_EQ(advice.why, "refuses the token of the login, which is a new one; log in with `code-executor login 'x y'`");
  EXPECT_TRUE(is_noted());
  EXPECT_EQ(of->login_wanted(), advice.why);
  EXPECT_EQ(token_requests.size(), 1u);
  again.sent = "Bearer a0";
  EXPECT_TRUE(refused(of, again).is_to_be_repeated) << "there is another one by now";
}

TEST_F(account_authorization_test, who_is_let_in_wants_no_login) {
  store(some_account());
  on_token = [](const oauth::form&) { return std::pair{400, std::string{R"({"error":"invalid_grant"})"}}; };
  auto of = open();
  EXPECT_EQ(of->login_wanted(), "");
  for (bool is_new_login : {false, true}) {
    EXPECT_TRUE(refused(of, refusal_of("Bearer a0")).needs_login);
    EXPECT_TRUE(of->login_wanted().starts_with("wants a new login")) << of->login_wanted();
    EXPECT_EQ(open()->login_wanted(), "") << "it has refused another connection";
    accepted(of, "", false);
    EXPECT_NE(of->login_wanted(), "") << "it lets in everybody";
    EXPECT_TRUE(is_noted());
    if (is_new_login)
      store(some_account());
    else
      accepted(of, "Bearer a0", false);
    EXPECT_EQ(of->login_wanted(), "") << is_new_login;
    EXPECT_FALSE(is_noted()) << is_new_login;
  }
}

TEST_F(account_authorization_test, what_may_be_a_matter_of_the_entry_is_no_login) {
  auto told = [&](std::string challenge, std::string sent = "") {
    auto of = open();
    auto advice = refused(of, refusal_of(std::move(sent), 401, std::move(challenge)));
    EXPECT_EQ(advice.needs_login, advice.hint.empty());
    EXPECT_EQ(advice.needs_login, !advice.why.empty());
    EXPECT_NE((advice.why + advice.hint).find("`code-executor login 'x y'`"), std::string::npos);
    return advice.hint;
  };
  auto metadata = R"(Bearer resource_metadata="https://x.example/m")";
  EXPECT_EQ(told(""), "");
  EXPECT_EQ(told("Bearer"), "");
  EXPECT_TRUE(told("Basic realm=x").starts_with("; if the server offers logins")) << told("Basic realm=x");
  target.fields = {{"X-Api-Key", "k"}};
  for (auto* challenge : {"", "Bearer", "Basic realm=x"})
    EXPECT_TRUE(told(challenge).starts_with(", or correct the headers")) << challenge;
  EXPECT_EQ(told(metadata), "");
  target.settings.client_id = "mine";
  EXPECT_EQ(told(""), "") << "the entry speaks of a login";
  target.settings.client_id.clear();
  auto ended = some_account();
  ended.refresh_token.clear();
  store(ended);
  EXPECT_EQ(told("", "Bearer a0"), "") << "there was a login";
}

TEST_F(account_authorization_test, a_refused_refresh_token_is_dropped) {
  store(some_account());
  on_token = [](const oauth::form&) {
    return std::pair{400, std::string{R"({"error":"invalid_grant","error_description":"r0 is gone"})"}};
  };
  auto of = open();
  auto advice = refused(of, refusal_of("Bearer a0"));
  EXPECT_TRUE(advice.needs_login);
  EXPECT_EQ(advice.why.find("r0"), std::string::npos) << advice.why;
  EXPECT_EQ(stored().refresh_token, "");
  EXPECT_TRUE(refused(of, refusal_of("Bearer a0")).needs_login);
  EXPECT_EQ(token_requests.size(), 1u) << "not asked a second time";
}

TEST_F(account_authorization_test, a_client_that_is_gone_is_not_used_again) {
  store(some_account());
  on_token = [](const oauth::form&) { return std::pair{401, std::string{R"({"error":"invalid_client"})"}}; };
  EXPECT_TRUE(refused(open(), refusal_of("Bearer a0")).needs_login);
  EXPECT_EQ(stored().refresh_token, "");
  EXPECT_EQ(stored().client.identity.id, "") << "the next login registers anew";
}

TEST_F(account_authorization_test, no_answer_loses_nothing) {
  store_expiring(10);
  on_token = [](const oauth::form&) { return std::pair{0, std::string{}}; };
  auto of = open();
  EXPECT_EQ(value(of), "Bearer a0") << "still good";
  EXPECT_EQ(value(of), "Bearer a0");
  EXPECT_EQ(token_requests.size(), 1u) << "not at every request";
  auto advice = refused(of, refusal_of("Bearer a0"));
  EXPECT_FALSE(advice.needs_login);
  EXPECT_FALSE(advice.is_to_be_repeated);
  EXPECT_TRUE(advice.why.starts_with("has an authorization server that gives no new token: it could not be asked"))
    << advice.why;
  EXPECT_EQ(stored().refresh_token, "r0");
  on_token = [](const oauth::form&) { return std::pair{503, std::string{}}; };
  EXPECT_FALSE(refused(of, refusal_of("Bearer a0")).needs_login);
  EXPECT_EQ(stored().refresh_token, "r0");
}

TEST_F(account_authorization_test, an_expired_token_is_not_sent) {
  auto what = some_account();
  what.expires_s = login::now_s() - 10;
  what.refresh_token.clear();
  store(what);
  auto of = open();
  EXPECT_EQ(value(of), "");
  auto advice = refused(of, refusal_of(""));
  EXPECT_TRUE(advice.needs_login);
  EXPECT_FALSE(advice.is_to_be_repeated);
}

TEST_F(account_authorization_test, remembers_which_rights_were_missing) {
  store(some_account());
  auto of = open();
  auto told = R"(Bearer error="insufficient_scope", scope="write admin")";
  auto advice = refused(of, refusal_of("Bearer a0", 403, told));
  EXPECT_TRUE(advice.needs_login);
  EXPECT_EQ(advice.why, "needs more rights (scopes read write admin): log in again with `code-executor login 'x y'`");
  EXPECT_EQ(stored().missing_scopes, (oauth::scope_list{"read", "write", "admin"}));
  EXPECT_TRUE(token_requests.empty()) << "a refresh can not widen";
  auto granted = some_account();
  granted.asked_scopes = {"read", "write", "admin"};
  granted.access_token = "b0";
  store(granted);
  EXPECT_TRUE(refused(of, refusal_of("Bearer a0", 403, told)).is_to_be_repeated) << "logged in meanwhile";
  advice = refused(of, refusal_of("Bearer b0", 403, told));
  EXPECT_FALSE(advice.needs_login) << "another login would change nothing";
  EXPECT_NE(advice.why, "");
}

TEST_F(account_authorization_test, other_refusals_are_not_its_business) {
  store(some_account());
  auto of = open();
  for (auto* told : {"", "Bearer", "Bearer error=\"invalid_token\"", "DPoP error=\"insufficient_scope\""}) {
    auto advice = refused(of, refusal_of("Bearer a0", 403, told));
    EXPECT_FALSE(advice.needs_login || advice.is_to_be_repeated) << told;
    EXPECT_EQ(advice.why, "") << told;
  }
  target.settings.is_off = true;
  of = open();
  EXPECT_EQ(value(of), "");
  EXPECT_FALSE(refused(of, refusal_of("")).needs_login);
}

TEST_F(account_authorization_test, of_a_machine_logs_in_by_itself) {
  be_machine();
  auto of = open();
  EXPECT_EQ(value(of), "") << "perhaps the server wants nothing";
  auto advice = refused(of, refusal_of("", 401, R"(Bearer scope="job")"));
  EXPECT_TRUE(advice.is_to_be_repeated) << advice.why;
  EXPECT_EQ(value(of), "Bearer a1");
  EXPECT_EQ(field(token_requests[0], "grant_type"), "client_credentials");
  EXPECT_EQ(field(token_requests[0], "scope"), "job");
  EXPECT_EQ(stored().refresh_token, "");
  advice = refused(of, refusal_of("Bearer a1", 403, R"(Bearer error="insufficient_scope", scope="more")"));
  EXPECT_TRUE(advice.is_to_be_repeated) << advice.why;
  EXPECT_NE(field(token_requests[1], "scope").find("more"), std::string::npos);
  EXPECT_EQ(value(of), "Bearer a2");
  advice = refused(of, refusal_of("Bearer a2", 403, R"(Bearer error="insufficient_scope", scope="more")"));
  EXPECT_FALSE(advice.is_to_be_repeated) << "it was asked for";
  EXPECT_FALSE(advice.needs_login);
}

TEST_F(account_authorization_test, of_a_machine_that_is_refused_is_told) {
  be_machine();
  on_token = [](const oauth::form&) { return std::pair{401, std::string{R"({"error":"invalid_client"})"}}; };
  auto of = open();
  auto advice = refused(of, refusal_of(""));
  EXPECT_FALSE(advice.is_to_be_repeated);
  EXPECT_NE(advice.why.find("invalid_client"), std::string::npos) << advice.why;
  EXPECT_EQ(advice.why.find("bot-secret"), std::string::npos);
}

TEST_F(account_authorization_test, a_renewal_ends_although_its_caller_is_gone) {
  store(some_account());
  auto of = open();
  asio::cancellation_signal stop;
  bool has_ended = false;
  asio::co_spawn(
    io, of->refused(refusal_of("Bearer a0")),
    asio::bind_cancellation_slot(
      stop.slot(), [&](const std::exception_ptr&, const mcp::authorization_advice&) { has_ended = true; }));
  run_until([&] { return !token_requests.empty(); });
  stop.emit(asio::cancellation_type::terminal);
  of.reset();
  run_until([&] { return has_ended; });
  run_until([&] { return stored().refresh_token == "r1"; });
}

} // namespace account_authorization_test
