#include "oauth_client/authorization.hpp"
#include "oauth_client/form.hpp"
#include "oauth_client/pkce.hpp"

#include <gtest/gtest.h>

namespace oauth {
namespace authorization_test {

authorization_expectation expected(bool tells_issuer = false) {
  authorization_expectation out;
  out.state = "state-of-ours";
  out.issuer = "https://auth.example";
  out.tells_issuer = tells_issuer;
  return out;
}

TEST(pkce, is_that_of_the_standard) {
  EXPECT_EQ(s256_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  auto a = random_text(), b = random_text();
  EXPECT_EQ(a.size(), 43u);
  EXPECT_NE(a, b);
  EXPECT_EQ(a.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"), a.npos);
}

TEST(pkce, compares_secrets) {
  EXPECT_TRUE(is_same_secret("abc", "abc"));
  for (auto other : {"abd", "ab", "abcd", ""})
    EXPECT_FALSE(is_same_secret("abc", other));
  EXPECT_FALSE(is_same_secret("", "")) << "no secret at all";
}

TEST(form, is_encoded_and_read) {
  EXPECT_EQ(form_encoded("a b&=+%/\xc3\xa9~"), "a%20b%26%3D%2B%25%2F%C3%A9~");
  EXPECT_EQ(read_form("a=b+c&d=%2B&e&&=f&a=2"), (form{{"a", "b c"}, {"d", "+"}, {"e", ""}, {"", "f"}, {"a", "2"}}));
  std::string many;
  for (int i = 0; i < 1'000; ++i)
    many += "a=b&";
  EXPECT_EQ(read_form(many).size(), form_fields_max);
}

TEST(authorization, url_has_everything_and_keeps_the_query) {
  authorization_request of;
  of.endpoint = "https://auth.example/a?tenant=1";
  of.client_id = "c&d";
  of.redirect_uri = "http://127.0.0.1:1/callback";
  of.scopes = {"a", "b"};
  of.state = "s";
  of.code_challenge = "x";
  of.resource = "https://server.example/mcp";
  EXPECT_EQ(authorization_url(of),
            "https://auth.example/a?tenant=1&response_type=code&client_id=c%26d&"
            "redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&state=s&code_challenge=x&code_challenge_method=S256&"
            "scope=a%20b&resource=https%3A%2F%2Fserver.example%2Fmcp");
  of.endpoint = "https://auth.example/a";
  of.scopes.clear();
  EXPECT_TRUE(authorization_url(of).starts_with("https://auth.example/a?response_type=code&"));
  EXPECT_EQ(authorization_url(of).find("scope="), std::string::npos);
}

TEST(authorization, answer_gives_the_code) {
  auto got = read_authorization_answer("code=c%20d&state=state-of-ours", expected());
  EXPECT_TRUE(got.is_ours);
  EXPECT_EQ(got.problem, "");
  EXPECT_EQ(got.code, "c d");
  got = read_authorization_answer("iss=https%3A%2F%2Fauth.example&code=c&state=state-of-ours", expected(true));
  EXPECT_EQ(got.code, "c");
}

TEST(authorization, answer_to_another_question_is_not_ours) {
  for (std::string query : {"", "code=c", "code=c&state=", "code=c&state=other", "state=state-of-ours&state=x&code=c",
                            "code=c&code=d&state=state-of-ours", "code=c&state=state-of-ours&iss=a&iss=b"})
    EXPECT_FALSE(read_authorization_answer(query, expected()).is_ours) << query;
  EXPECT_FALSE(read_authorization_answer("state=state-of-ours&code=" + std::string(20'000, 'a'), expected()).is_ours);
  auto nothing = expected();
  nothing.state = "";
  EXPECT_FALSE(read_authorization_answer("code=c&state=", nothing).is_ours);
}

TEST(authorization, answer_of_another_issuer_is_refused) {
  for (std::string query : {"code=c", "error=access_denied"}) {
    auto missing = read_authorization_answer(query + "&state=state-of-ours", expected(true));
    EXPECT_TRUE(missing.is_ours);
    EXPECT_EQ(missing.code, "");
    EXPECT_NE(missing.problem.find("iss"), std::string::npos);
    for (std::string other : {"https://evil.example", "https://auth.example/", "https%3A%2F%2FAUTH.example", ""}) {
      auto wrong = read_authorization_answer(query + "&state=state-of-ours&iss=" + other, expected());
      EXPECT_EQ(wrong.code, "") << other;
      EXPECT_NE(wrong.problem.find("iss"), std::string::npos) << other;
    }
  }
}

TEST(authorization, answer_with_an_error_tells_it_harmlessly) {
  auto got = read_authorization_answer(
    "error=access_denied&error_description=no%1b%5b2J%0aaccess&code=secret-code&state=state-of-ours", expected());
  EXPECT_EQ(got.code, "");
  EXPECT_TRUE(got.problem.starts_with("has refused the login: access_denied (no")) << got.problem;
  EXPECT_EQ(got.problem.find('\x1b'), std::string::npos);
  EXPECT_EQ(got.problem.find('\n'), std::string::npos);
  EXPECT_LT(
    read_authorization_answer("error=a&state=state-of-ours&error_description=" + std::string(9'000, 'x'), expected())
      .problem.size(),
    500u);
  EXPECT_NE(read_authorization_answer("state=state-of-ours", expected()).problem, "");
  EXPECT_NE(read_authorization_answer("state=state-of-ours&code=a%00b", expected()).problem, "");
}

TEST(authorization, error_text_tells_no_secret) {
  EXPECT_EQ(error_text("invalid_grant", "the token r-secret is gone", {"r-secret"}), "invalid_grant");
  EXPECT_EQ(error_text("r-secret", "", {"r-secret"}), "an error");
}

TEST(authorization, error_text_tells_no_secret_that_is_encoded) {
  const std::vector<std::string> secrets{"SuperSecretClient0123456789",
                                         "p4ss/w\xc3\xb6rd+hunter 2==", "~~~?\?\?>>>secret"};
  auto told = [&](const std::string& description) { return error_text("e", "got " + description + "!", secrets); };
  for (std::string leak :
       {"Basic Y2lkOlN1cGVyU2VjcmV0Q2xpZW50MDEyMzQ1Njc4OQ==",   // cid:S...
        "Basic Y2k6U3VwZXJTZWNyZXRDbGllbnQwMTIzNDU2Nzg5",       // ci:S...
        "Basic YzpTdXBlclNlY3JldENsaWVudDAxMjM0NTY3ODk=",       // c:S...
        "U3VwZXJTZWNyZXRDbGllbnQw...",                          // cut off
        "Y2lkOnA0c3MlMkZ3JUMzJUI2cmQlMkJodW50ZXIlMjAyJTNEJTNE", // cid:p4ss%2F...
        "cDRzcy93w7ZyZCtodW50ZXIgMj09", "p4ss%2Fw%C3%B6rd%2Bhunter%202%3D%3D", "p4ss%2fw%c3%b6rd%2bhunter+2%3d%3d",
        "p4ss%252Fw%25C3%25B6rd", "p4ss\\/w\xc3\xb6rd", "fn5+Pz8/Pj4+c2VjcmV0", "fn5-Pz8_Pj4-c2VjcmV0",
        "fn5%2BPz8%2FPj4%2Bc2VjcmV0", "client_secret=SuperSecretClient0123456789", "SuperSec..."})
    EXPECT_EQ(told(leak), "e") << leak;
  for (std::string harmless : {"the client cid", "Super Secret", "Y2lkOg==", "100%", "a+b%2Fc\\d"})
    EXPECT_NE(told(harmless), "e") << harmless;
}

} // namespace authorization_test
} // namespace oauth
