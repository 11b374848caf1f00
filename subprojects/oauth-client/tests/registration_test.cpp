#include "oauth_client/registration.hpp"
#include "testing/values.hpp"

#include <gtest/gtest.h>

namespace oauth {
namespace registration_test {

registration_request request() {
  registration_request out;
  out.client_name = "code-executor";
  out.redirect_uri = "http://127.0.0.1:1/callback";
  return out;
}

TEST(registration, asks_for_a_native_client) {
  auto text = registration_text(request(), {});
  EXPECT_EQ(test::object(text),
            test::object(R"({"client_name":"code-executor","redirect_uris":["http://127.0.0.1:1/callback"],)"
                         R"("grant_types":["authorization_code","refresh_token"],"response_types":["code"],)"
                         R"("token_endpoint_auth_method":"none","application_type":"native"})"));
  server_metadata at;
  at.token_authentication = {"private_key_jwt", "client_secret_post"};
  auto with = request();
  with.scopes = {"a", "b"};
  auto asked = test::object(registration_text(with, at));
  EXPECT_EQ(asked.at("token_endpoint_auth_method").as_string(), "client_secret_post");
  EXPECT_EQ(asked.at("scope").as_string(), "a b");
}

TEST(registration, answer_is_read) {
  auto got = read_registration(
    201,
    R"({"client_id":"i","client_secret":"s","token_endpoint_auth_method":"client_secret_post","client_secret_expires_at":9})",
    {});
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(got.value.identity.id, "i");
  EXPECT_EQ(got.value.identity.how, client_authentication::post);
  EXPECT_EQ(got.value.secret_expires_s, 9);
  got = read_registration(201, R"({"client_id":"i"})", {});
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value.identity.how, client_authentication::none);
  EXPECT_EQ(read_registration(200, R"({"client_id":"i","client_secret":"s"})", {}).value.identity.how,
            client_authentication::basic);
}

TEST(registration, answer_that_can_not_be_used_is_told) {
  for (std::string text :
       {"", "{}", R"({"client_id":7})", R"({"client_id":"a\u0007"})", R"({"client_id":"a","client_id":"b"})",
        R"({"client_id":"a","token_endpoint_auth_method":"private_key_jwt"})",
        R"({"client_id":"a","token_endpoint_auth_method":"client_secret_basic"})",
        R"({"client_id":"a","client_secret_expires_at":"x"})"})
    EXPECT_FALSE(read_registration(201, text, {}).ok()) << text;
  auto refused = read_registration(400, R"({"error":"invalid_redirect_uri","error_description":"no"})", {});
  EXPECT_EQ(refused.problem, "it has answered with HTTP status 400: invalid_redirect_uri (no)");
  EXPECT_EQ(read_registration(403, "<html>", {}).problem, "it has answered with HTTP status 403");
}

} // namespace registration_test
} // namespace oauth
