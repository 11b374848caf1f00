#include "login/discovery.hpp"
#include "tests/unit/login/fake_web.hpp"

namespace discovery_test {

using paths = std::vector<std::string>;
const std::string path_resource = "/.well-known/oauth-protected-resource/mcp";
const std::string root_resource = "/.well-known/oauth-protected-resource";
const std::string root_issuer = "/.well-known/oauth-authorization-server";

struct login_discovery_test : login_test::fake_web {
  oauth::parsed<login::discovered> discover(const std::string& known_issuer = "") {
    login::discovery_hints hints;
    hints.issuer = known_issuer;
    return test::run(io, login::discover(environment, target, std::move(hints)));
  }
  std::string resource_naming(const std::string& issuer) {
    return R"({"resource":")" + target.url + R"(","authorization_servers":[")" + issuer + R"("]})";
  }
};

TEST_F(login_discovery_test, looks_at_the_path_first) {
  be_usual();
  challenge = R"(Bearer scope="a b")";
  auto got = discover();
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(paths_heard(), (paths{"/mcp", path_resource, root_issuer}));
  EXPECT_EQ(got.value.challenge.scope, "a b");
  EXPECT_EQ(got.value.resource, target.url);
  EXPECT_EQ(got.value.resource_scopes, oauth::scope_list{"read"});
  EXPECT_EQ(got.value.issuer.token_endpoint, issuer() + "/token");
}

TEST_F(login_discovery_test, looks_where_the_challenge_says) {
  be_usual();
  pages["/custom"] = pages[path_resource];
  pages.erase(path_resource);
  challenge = "Bearer resource_metadata=\"" + url("/custom") + "\"";
  EXPECT_TRUE(discover().ok());
  EXPECT_EQ(paths_heard(), (paths{"/mcp", "/custom", root_issuer}));
  pages.erase("/custom");
  EXPECT_FALSE(discover().ok()) << "nowhere else";
}

TEST_F(login_discovery_test, asks_an_issuer_with_a_path_below_that_path_only) {
  pages[root_resource] = resource_naming(issuer() + "/tenant1");
  pages["/tenant1/.well-known/openid-configuration"] = R"({"issuer":")" + issuer() + R"(/tenant1","token_endpoint":")"
                                                       + url("/token")
                                                       + R"(","code_challenge_methods_supported":["S256"]})";
  auto got = discover();
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(paths_heard(),
            (paths{"/mcp", path_resource, root_resource, root_issuer + "/tenant1",
                   "/.well-known/openid-configuration/tenant1", "/tenant1/.well-known/openid-configuration"}));
}

TEST_F(login_discovery_test, of_an_old_server_ends_at_its_root) {
  auto got = discover();
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(got.value.issuer.token_endpoint, issuer() + "/token");
  EXPECT_EQ(got.value.resource, target.url);
  EXPECT_TRUE(got.value.is_assumed);
  pages[root_issuer] = R"({"issuer":")" + issuer() + R"(/","token_endpoint":")" + url("/t")
                       + R"(","code_challenge_methods_supported":["S256"]})";
  got = discover();
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(got.value.issuer.token_endpoint, url("/t"));
  EXPECT_EQ(got.value.issuer.issuer, issuer() + "/");
  EXPECT_FALSE(got.value.is_assumed);
}

TEST_F(login_discovery_test, passes_over_pages_that_are_no_metadata) {
  be_usual();
  pages[root_resource] = pages[path_resource];
  pages[path_resource] = "<html>";
  EXPECT_TRUE(discover().ok());
}

TEST_F(login_discovery_test, refuses_what_is_of_another) {
  be_usual();
  pages[path_resource] = R"({"resource":"https://other.example/mcp","authorization_servers":[")" + issuer() + R"("]})";
  auto got = discover();
  EXPECT_NE(got.problem.find("'resource' is another server"), std::string::npos) << got.problem;
  EXPECT_EQ(heard.size(), 2u);
  pages[path_resource] = resource_naming(issuer() + "/");
  got = discover();
  EXPECT_NE(got.problem.find("another issuer"), std::string::npos) << got.problem;
}

TEST_F(login_discovery_test, asks_nothing_that_is_forbidden) {
  be_usual();
  for (std::string bad : {"http://169.254.169.254", "http://auth.example", "https://u@auth.example", "ftp://x"}) {
    pages[path_resource] = resource_naming(bad);
    auto got = discover();
    EXPECT_NE(got.problem.find("which is not asked"), std::string::npos) << got.problem;
    challenge = "Bearer resource_metadata=\"" + bad + "\"";
    got = discover();
    EXPECT_NE(got.problem.find("is not asked"), std::string::npos) << got.problem;
    challenge.clear();
  }
  pages[path_resource] = resource_naming(issuer());
  pages[root_issuer] = issuer_metadata(R"(,"jwks_uri":"x")");
  auto& text = pages[root_issuer];
  text.replace(text.find(issuer() + "/token"), (issuer() + "/token").size(), "http://10.0.0.1/token");
  EXPECT_NE(discover().problem.find("token_endpoint"), std::string::npos);
}

TEST_F(login_discovery_test, bounds_what_it_reads) {
  be_usual();
  pages[path_resource] = "{\"resource\":\"" + std::string(400'000, 'x') + "\"}";
  auto got = discover();
  EXPECT_FALSE(got.ok());
  EXPECT_LT(got.problem.size(), 1'000u);
}

TEST_F(login_discovery_test, keeps_to_the_issuer_of_the_last_login) {
  be_usual();
  pages[path_resource] =
    R"({"resource":")" + target.url + R"(","authorization_servers":["https://first.example",")" + issuer() + R"("]})";
  auto got = discover(issuer());
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(got.value.issuer.issuer, issuer());
}

TEST_F(login_discovery_test, sends_no_token_with_the_first_request) {
  be_usual();
  target.fields = {{"Authorization", "Bearer old"}, {"X-Tenant", "7"}};
  EXPECT_TRUE(discover().ok());
  EXPECT_EQ(heard[0].head.find("old"), std::string::npos);
  EXPECT_NE(heard[0].head.find("X-Tenant: 7"), std::string::npos);
  EXPECT_EQ(heard[1].head.find("X-Tenant"), std::string::npos) << "only the server itself";
}

TEST_F(login_discovery_test, of_a_server_that_is_not_there_is_told) {
  acceptor.close();
  auto got = discover();
  EXPECT_TRUE(got.problem.starts_with("can not be reached: ")) << got.problem;
}

} // namespace discovery_test
