#include "oauth_client/token_request.hpp"
#include "oauth_client/token_response.hpp"

#include <gtest/gtest.h>

namespace oauth {
namespace token_test {

client_identity client(client_authentication how, std::string secret = "s:e c") {
  client_identity out;
  out.id = "c/d";
  out.secret = std::move(secret);
  out.how = how;
  return out;
}

TEST(client_authentication, is_chosen_by_what_is_taken) {
  using how = client_authentication;
  using list = std::vector<std::string>;
  EXPECT_EQ(choose_client_authentication(std::nullopt, false), how::none);
  EXPECT_EQ(choose_client_authentication(std::nullopt, true), how::basic) << "RFC 8414: the default";
  EXPECT_EQ(choose_client_authentication(list{"client_secret_post"}, true), how::post);
  EXPECT_EQ(choose_client_authentication(list{"client_secret_post", "client_secret_basic"}, true), how::basic);
  EXPECT_EQ(choose_client_authentication(list{"none"}, true), how::none) << "the secret stays here";
  EXPECT_FALSE(choose_client_authentication(list{"private_key_jwt"}, true));
}

TEST(token_request, says_who_asks) {
  code_grant grant;
  grant.code = "c";
  grant.redirect_uri = "http://127.0.0.1:1/callback";
  grant.verifier = "v";
  grant.resource = "https://r";
  auto none = code_request(client(client_authentication::none, ""), grant);
  EXPECT_EQ(none.authorization, "");
  EXPECT_EQ(none.body, "grant_type=authorization_code&code=c&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&"
                       "code_verifier=v&resource=https%3A%2F%2Fr&client_id=c%2Fd");
  auto basic = refresh_request(client(client_authentication::basic), "r t", "https://r");
  EXPECT_EQ(basic.authorization, "Basic YyUyRmQ6cyUzQWUlMjBj"); // c%2Fd:s%3Ae%20c
  EXPECT_EQ(basic.body, "grant_type=refresh_token&refresh_token=r%20t&resource=https%3A%2F%2Fr");
  auto post = machine_request(client(client_authentication::post), {"a", "b"}, "");
  EXPECT_EQ(post.authorization, "");
  EXPECT_EQ(post.body, "grant_type=client_credentials&scope=a%20b&client_id=c%2Fd&client_secret=s%3Ae%20c");
  EXPECT_EQ(revocation_request(client(client_authentication::none), "t", "access_token").body,
            "token=t&token_type_hint=access_token&client_id=c%2Fd");
}

TEST(token_response, is_read) {
  auto got = read_token_response(
    200, R"({"access_token":"a","token_type":"bEaReR","expires_in":"3600","refresh_token":"r","scope":"x y"})", {});
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(got.value.access, "a");
  EXPECT_EQ(got.value.life_s, 3'600);
  EXPECT_EQ(got.value.refresh, "r");
  EXPECT_EQ(got.value.scopes, (scope_list{"x", "y"}));
  got = read_token_response(200, R"({"access_token":"a","token_type":"Bearer","expires_in":1e9})", {});
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(got.value.life_s, token_life_s_max);
  EXPECT_EQ(got.value.refresh, "");
  EXPECT_FALSE(got.value.scopes);
  EXPECT_FALSE(read_token_response(200, R"({"access_token":"a","token_type":"Bearer"})", {}).value.life_s);
}

TEST(token_response, that_can_not_be_used_is_refused) {
  for (std::string text :
       {"", "{}", "[]", R"({"access_token":"a"})", R"({"access_token":1,"token_type":"Bearer"})",
        R"({"access_token":"","token_type":"Bearer"})", R"({"access_token":"a b","token_type":"Bearer"})",
        R"({"access_token":"a\r\nX: y","token_type":"Bearer"})", R"({"access_token":"a\u0000","token_type":"Bearer"})",
        R"({"access_token":"a","token_type":"DPoP"})", R"({"access_token":"a","token_type":"Bearer","expires_in":-1})",
        R"({"access_token":"a","token_type":"Bearer","expires_in":"soon"})",
        R"({"access_token":"a","token_type":"Bearer","expires_in":"1x"})",
        R"({"access_token":"a","token_type":"Bearer","expires_in":1e300})",
        R"({"access_token":"a","token_type":"Bearer","expires_in":"nan"})",
        R"({"access_token":"a","token_type":"Bearer","refresh_token":[]})",
        R"({"access_token":"a","access_token":"b","token_type":"Bearer"})"})
    EXPECT_FALSE(read_token_response(200, text, {}).ok()) << text;
  auto huge = R"({"token_type":"Bearer","access_token":")" + std::string(token_bytes_max + 1, 'a') + "\"}";
  auto got = read_token_response(200, huge, {});
  EXPECT_FALSE(got.ok());
  EXPECT_LT(got.problem.size(), 300u);
}

TEST(token_response, with_an_error_tells_it_without_secrets) {
  auto got =
    read_token_response(400, R"({"error":"invalid_grant","error_description":"r-secret is used"})", {"r-secret"});
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.error, "invalid_grant");
  EXPECT_EQ(got.problem, "has answered: invalid_grant");
  EXPECT_EQ(read_token_response(200, R"({"error":"invalid_client"})", {}).error, "invalid_client");
  EXPECT_EQ(read_token_response(500, "<html>r-secret", {"r-secret"}).problem, "has answered with HTTP status 500");
  EXPECT_FALSE(read_token_response(302, R"({"access_token":"a","token_type":"Bearer"})", {}).ok());
}

} // namespace token_test
} // namespace oauth
