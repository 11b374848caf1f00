#include "login/log_out.hpp"
#include "login/login_flow.hpp"
#include "tests/unit/login/fake_web.hpp"

#include <filesystem>

namespace login_flow_test {

using login_test::asked;

struct login_flow_test : login_test::fake_web {
  std::string opened;
  oauth::form request; ///< that the browser was sent with
  std::string iss;     ///< that the authorization server tells; empty: none
  std::string answer = "code=code-1";
  std::string advice; ///< that the person was given

  /// As if somebody clicked on yes at once.
  void browse(const std::string& where) {
    opened = where;
    request = oauth::read_form(where.substr(where.find('?') + 1));
    auto back =
      field(request, "redirect_uri") + "?" + answer + "&state=" + oauth::form_encoded(field(request, "state"));
    if (!iss.empty())
      back += "&iss=" + oauth::form_encoded(iss);
    http::client_request get;
    get.url = back;
    http->start(std::move(get), {});
  }
  msg::outcome<login::login_report> log_in(std::chrono::milliseconds patience = login::login_patience) {
    login::login_wishes wishes;
    wishes.open = [this](const login::authorization_page& page) { browse(page.url); };
    wishes.patience = patience;
    wishes.advise = [this](const std::string& text) { advice = text; };
    return test::run(io, login::log_in(environment, target, std::move(wishes)));
  }
  std::string refusal() {
    auto got = log_in();
    EXPECT_FALSE(got.ok());
    EXPECT_EQ(got.error.message.find("code-1"), std::string::npos) << got.error.message;
    EXPECT_FALSE(std::filesystem::exists(file().path())) << "nothing is kept";
    return got.error.message;
  }
  size_t registrations() {
    auto all = paths_heard();
    return static_cast<size_t>(std::count(all.begin(), all.end(), "/register"));
  }
};

TEST_F(login_flow_test, registers_asks_and_keeps) {
  be_usual(R"(,"scopes_supported":["offline_access"])");
  on_token = [](const oauth::form&) {
    return std::pair{
      200, std::string{R"({"access_token":"a1","token_type":"bearer","expires_in":60,"refresh_token":"r1"})"}};
  };
  auto got = log_in();
  ASSERT_TRUE(got.ok()) << got.error.message;
  EXPECT_EQ(got.value.issuer, issuer());
  EXPECT_TRUE(got.value.is_refreshed);
  EXPECT_TRUE(opened.starts_with(issuer() + "/authorize?"));
  EXPECT_EQ(field(request, "client_id"), "registered-1");
  EXPECT_EQ(field(request, "scope"), "read offline_access");
  EXPECT_EQ(field(request, "resource"), target.url);
  EXPECT_EQ(field(request, "code_challenge_method"), "S256");
  ASSERT_EQ(token_requests.size(), 1u);
  auto& exchange = token_requests[0];
  EXPECT_EQ(field(exchange, "code"), "code-1");
  EXPECT_EQ(field(exchange, "resource"), target.url);
  EXPECT_EQ(field(exchange, "redirect_uri"), field(request, "redirect_uri"));
  EXPECT_EQ(field(exchange, "client_id"), "registered-1");
  EXPECT_GE(field(exchange, "code_verifier").size(), 43u);
  auto kept = stored();
  EXPECT_EQ(kept.access_token, "a1");
  EXPECT_EQ(kept.refresh_token, "r1");
  EXPECT_EQ(kept.client.identity.id, "registered-1");
  EXPECT_EQ(kept.asked_scopes, (oauth::scope_list{"read", "offline_access"}));
}

TEST_F(login_flow_test, is_known_at_the_second_time) {
  be_usual();
  ASSERT_TRUE(log_in().ok());
  auto first = field(request, "redirect_uri");
  ASSERT_TRUE(log_in().ok());
  EXPECT_EQ(registrations(), 1u);
  EXPECT_EQ(field(request, "redirect_uri"), first) << "the same port, if it is free";
  auto elsewhere = stored();
  elsewhere.issuer = "https://former.example";
  store(elsewhere);
  ASSERT_TRUE(log_in().ok());
  EXPECT_EQ(registrations(), 2u) << "the client of another issuer is not used";
}

TEST_F(login_flow_test, is_the_client_of_the_entry) {
  be_usual(R"(,"client_id_metadata_document_supported":true)");
  target.settings.client_id = "mine";
  target.settings.client_secret = "my-secret";
  target.settings.scopes = {"own"};
  target.settings.metadata_url = "https://docs.example/c.json";
  ASSERT_TRUE(log_in().ok());
  EXPECT_EQ(field(request, "client_id"), "mine");
  EXPECT_EQ(field(request, "scope"), "own");
  EXPECT_EQ(registrations(), 0u);
  EXPECT_NE(heard.back().head.find("Authorization: Basic bWluZTpteS1zZWNyZXQ="), std::string::npos)
    << heard.back().head;
  EXPECT_EQ(test::read(file().path()).find("my-secret"), std::string::npos);
  target.settings.client_id.clear();
  target.settings.client_secret.clear();
  ASSERT_TRUE(log_in().ok());
  EXPECT_EQ(field(request, "client_id"), "https://docs.example/c.json");
}

TEST_F(login_flow_test, the_client_of_the_entry_is_shown_to_one_issuer) {
  be_usual();
  target.settings.client_id = "mine";
  target.settings.client_secret = "my-secret";
  auto before = some_account();
  before.issuer = "https://former.example";
  before.client.origin = login::client_origin::configured;
  before.client.identity.id = "mine";
  store(before);
  auto got = log_in();
  EXPECT_NE(got.error.message.find("log out first"), std::string::npos) << got.error.message;
  target.settings.is_for_machines = true;
  got = log_in();
  EXPECT_NE(got.error.message.find("log out first"), std::string::npos) << got.error.message;
  EXPECT_TRUE(token_requests.empty());
  EXPECT_EQ(stored().issuer, "https://former.example");
}

TEST_F(login_flow_test, without_a_client_says_what_to_do) {
  be_usual();
  auto& text = pages["/.well-known/oauth-authorization-server"];
  text = R"({"issuer":")" + issuer() + R"(","authorization_endpoint":")" + url("/authorize") + R"(","token_endpoint":")"
         + url("/token") + R"(","code_challenge_methods_supported":["S256"]})";
  EXPECT_NE(refusal().find("put \"oauth\": {\"clientId\": ...} into its entry"), std::string::npos);
  be_usual();
  pages.erase("/register");
  EXPECT_NE(refusal().find("put \"oauth\": {\"clientId\": ...} into its entry"), std::string::npos);
}

TEST_F(login_flow_test, believes_the_right_issuer_only) {
  be_usual();
  iss = "https://evil.example";
  EXPECT_NE(refusal().find("'iss'"), std::string::npos);
  EXPECT_TRUE(token_requests.empty()) << "the code stays here";
  iss = issuer();
  EXPECT_TRUE(log_in().ok());
  std::filesystem::remove(file().path());
  be_usual(R"(,"authorization_response_iss_parameter_supported":true)");
  iss.clear();
  EXPECT_NE(refusal().find("'iss'"), std::string::npos);
}

TEST_F(login_flow_test, tells_a_refusal) {
  be_usual();
  answer = "error=access_denied&error_description=not+you";
  EXPECT_NE(refusal().find("has refused the login: access_denied (not you)"), std::string::npos);
  answer = "code=code-1";
  on_token = [](const oauth::form&) {
    return std::pair{400, std::string{R"({"error":"invalid_grant","error_description":"code code-1 is unknown"})"}};
  };
  auto text = refusal();
  EXPECT_NE(text.find("invalid_grant"), std::string::npos) << text;
}

TEST_F(login_flow_test, does_not_wait_for_ever) {
  be_usual();
  answer = "nothing=1&state=x"; // doubled state: not ours
  auto got = log_in(std::chrono::milliseconds{300});
  EXPECT_EQ(got.error.code, msg::errc::needs_login);
  EXPECT_NE(got.error.message.find("nobody came back"), std::string::npos) << got.error.message;
}

TEST_F(login_flow_test, says_what_helps_who_is_forgotten_there) {
  be_usual();
  answer = "nothing=1&state=x"; // as if a page said that nobody knows the client
  auto hint = "log out with `code-executor logout 'x y'`";
  EXPECT_EQ(log_in(std::chrono::milliseconds{100}).error.message.find(hint), std::string::npos);
  EXPECT_EQ(advice, "") << "it was registered just now";
  store(some_account());
  auto told = log_in(std::chrono::milliseconds{100}).error.message;
  EXPECT_NE(told.find(hint), std::string::npos) << told;
  EXPECT_NE(advice.find(hint), std::string::npos) << advice;
  EXPECT_EQ(registrations(), 1u);
  advice.clear();
  target.settings.client_id = "mine";
  store(some_account());
  told = log_in(std::chrono::milliseconds{100}).error.message;
  EXPECT_EQ(told.find(hint), std::string::npos) << told;
  EXPECT_EQ(advice, "") << "a logout mends nothing";
}

TEST_F(login_flow_test, where_nobody_is_named_says_so) {
  auto told = refusal();
  EXPECT_NE(told.find("names no authorization server"), std::string::npos) << told;
  EXPECT_EQ(told.find("clientId"), std::string::npos) << told;
  pages["/register"] = R"({"client_id":"registered-1"})";
  EXPECT_TRUE(log_in().ok()) << "a server of 2025-03-26";
}

TEST_F(login_flow_test, asks_for_what_was_missing) {
  be_usual();
  challenge = R"(Bearer scope="basic")";
  auto before = some_account();
  before.asked_scopes = {"basic"};
  before.missing_scopes = {"basic", "write"};
  store(before);
  ASSERT_TRUE(log_in().ok());
  EXPECT_EQ(field(request, "scope"), "basic write");
  EXPECT_EQ(stored().asked_scopes, (oauth::scope_list{"basic", "write"}));
  EXPECT_TRUE(stored().missing_scopes.empty());
}

TEST_F(login_flow_test, of_a_machine_opens_nothing) {
  be_usual();
  target.settings.is_for_machines = true;
  EXPECT_NE(refusal().find("client id or secret"), std::string::npos);
  target.settings.client_id = "bot";
  target.settings.client_secret = "bot-secret";
  auto got = log_in();
  ASSERT_TRUE(got.ok()) << got.error.message;
  EXPECT_EQ(opened, "");
  EXPECT_EQ(field(token_requests[0], "grant_type"), "client_credentials");
  EXPECT_EQ(field(token_requests[0], "scope"), "read");
  EXPECT_EQ(field(token_requests[0], "resource"), target.url);
  EXPECT_EQ(stored().access_token, "a1");
}

TEST_F(login_flow_test, ends_with_log_out) {
  auto out = test::run(io, login::log_out(environment, target));
  EXPECT_TRUE(out.ok());
  EXPECT_FALSE(out.value.was_logged_in);
  auto what = some_account();
  what.revocation_endpoint = url("/revoke");
  store(what);
  pages["/revoke"] = "";
  out = test::run(io, login::log_out(environment, target));
  EXPECT_TRUE(out.value.was_logged_in);
  EXPECT_TRUE(out.value.is_revoked) << out.value.why;
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].body, "token=r0&token_type_hint=refresh_token&client_id=registered-1");
  EXPECT_FALSE(std::filesystem::exists(file().path()));
  pages.clear();
  store(what);
  out = test::run(io, login::log_out(environment, target));
  EXPECT_FALSE(out.value.is_revoked);
  EXPECT_EQ(out.value.why.find("r0"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file().path())) << "in any case";
}

} // namespace login_flow_test
