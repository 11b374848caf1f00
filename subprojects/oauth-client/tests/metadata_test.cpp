#include "oauth_client/resource_metadata.hpp"
#include "oauth_client/server_metadata.hpp"

#include <gtest/gtest.h>

namespace oauth {
namespace metadata_test {

using urls = std::vector<std::string>;
constexpr auto server = "https://server.example/mcp";
constexpr auto issuer = "https://auth.example/tenant";

std::string metadata_with(const std::string& more, const std::string& of = issuer) {
  return R"({"issuer":")" + of + R"(","token_endpoint":"https://auth.example/token",)"
         + R"("code_challenge_methods_supported":["plain","S256"])" + more + "}";
}

TEST(resource_metadata, is_looked_for_in_order) {
  EXPECT_EQ(resource_metadata_urls(server, {}), (urls{"https://server.example/.well-known/oauth-protected-resource/mcp",
                                                      "https://server.example/.well-known/oauth-protected-resource"}));
  EXPECT_EQ(resource_metadata_urls("https://server.example:8443/", {}),
            (urls{"https://server.example:8443/.well-known/oauth-protected-resource"}));
  challenge told;
  told.resource_metadata = "https://server.example/custom";
  EXPECT_EQ(resource_metadata_urls(server, told), urls{"https://server.example/custom"});
  EXPECT_TRUE(resource_metadata_urls("nothing", {}).empty());
}

TEST(resource_metadata, is_read) {
  auto read = parse_resource_metadata(
    R"({"resource":"https://server.example/mcp","authorization_servers":["https://a.example"],"scopes_supported":["a"]})",
    server);
  ASSERT_TRUE(read.ok()) << read.problem;
  EXPECT_EQ(read.value.issuers, urls{"https://a.example"});
  EXPECT_EQ(read.value.scopes, scope_list{"a"});
}

TEST(resource_metadata, is_of_the_server_or_refused) {
  auto is_fine = [](const std::string& resource) {
    return parse_resource_metadata(R"({"resource":")" + resource + R"(","authorization_servers":["https://a"]})",
                                   server)
      .ok();
  };
  for (auto text : {"https://server.example/mcp", "https://server.example/mcp/", "https://server.example",
                    "https://server.example/", "https://SERVER.example:443/mcp"})
    EXPECT_TRUE(is_fine(text)) << text;
  for (auto text : {"https://evil.example/mcp", "http://server.example/mcp", "https://server.example:444/mcp",
                    "https://server.example/mc", "https://server.example/mcp/more", "https://server.example/mcp#x",
                    "https://u@server.example/mcp", "mcp", ""})
    EXPECT_FALSE(is_fine(text)) << text;
}

TEST(resource_metadata, that_is_wrong_is_told) {
  for (std::string text : {"", "[]", "{", "{}", R"({"resource":1})", R"({"resource":"https://server.example"})",
                           R"({"resource":"https://server.example","authorization_servers":[]})",
                           R"({"resource":"https://server.example","authorization_servers":"https://a"})",
                           R"({"resource":"https://server.example","authorization_servers":[1]})",
                           R"({"resource":"https://server.example","authorization_servers":["a\u0000b"]})",
                           R"({"resource":"https://server.example","authorization_servers":["https://a"],)"
                           R"("\u0072esource":"https://server.example/mcp"})"})
    EXPECT_FALSE(parse_resource_metadata(text, server).ok()) << text;
  EXPECT_FALSE(parse_resource_metadata(std::string(metadata_bytes_max + 1, ' '), server).ok());
}

TEST(server_metadata, is_looked_for_in_order) {
  EXPECT_EQ(server_metadata_urls(issuer), (urls{"https://auth.example/.well-known/oauth-authorization-server/tenant",
                                                "https://auth.example/.well-known/openid-configuration/tenant",
                                                "https://auth.example/tenant/.well-known/openid-configuration"}));
  EXPECT_EQ(server_metadata_urls("https://auth.example/"),
            (urls{"https://auth.example/.well-known/oauth-authorization-server",
                  "https://auth.example/.well-known/openid-configuration"}));
  EXPECT_TRUE(server_metadata_urls("https://auth.example/?a").empty());
}

TEST(server_metadata, is_read) {
  auto read = parse_server_metadata(
    metadata_with(
      R"(,"authorization_endpoint":"https://auth.example/a","registration_endpoint":null,)"
      R"("client_id_metadata_document_supported":true,"scopes_supported":["offline_access"],)"
      R"("authorization_response_iss_parameter_supported":true,"grant_types_supported":["client_credentials"],)"
      R"("token_endpoint_auth_methods_supported":["none"],"deep":{"a":[{"b":"c:d"}]})"),
    issuer);
  ASSERT_TRUE(read.ok()) << read.problem;
  EXPECT_EQ(read.value.authorization_endpoint, "https://auth.example/a");
  EXPECT_EQ(read.value.registration_endpoint, "");
  EXPECT_TRUE(read.value.takes_client_documents);
  EXPECT_TRUE(read.value.tells_issuer);
  EXPECT_EQ(read.value.token_authentication, urls{"none"});
  EXPECT_FALSE(parse_server_metadata(metadata_with(""), issuer).value.token_authentication);
}

TEST(server_metadata, is_of_exactly_the_issuer_that_was_asked) {
  for (auto other : {"https://auth.example/tenant/", "https://auth.example", "https://AUTH.example/tenant",
                     "https://auth.example:443/tenant", "https://evil.example"})
    EXPECT_FALSE(parse_server_metadata(metadata_with("", other), issuer).ok()) << other;
}

TEST(server_metadata, without_s256_is_refused) {
  auto without = [](const std::string& methods) {
    return parse_server_metadata(
             R"({"issuer":"https://auth.example/tenant","token_endpoint":"https://a/t")" + methods + "}", issuer)
      .ok();
  };
  EXPECT_FALSE(without(""));
  EXPECT_TRUE(
    parse_server_metadata(R"({"issuer":"https://i","token_endpoint":"https://i/t"})", "https://i", flow::machine).ok());
  EXPECT_FALSE(without(R"(,"code_challenge_methods_supported":["plain"])"));
  EXPECT_FALSE(without(R"(,"code_challenge_methods_supported":"S256")"));
  EXPECT_FALSE(without(R"(,"code_challenge_methods_supported":["S256"],"code_challenge_methods_supported":["S256"])"));
  EXPECT_TRUE(without(R"(,"code_challenge_methods_supported":["S256"])"));
}

TEST(server_metadata, of_endpoints_that_may_not_be_asked_is_told) {
  auto read = parse_server_metadata(metadata_with(R"(,"registration_endpoint":"https://169.254.169.254/")"), issuer);
  ASSERT_TRUE(read.ok());
  EXPECT_NE(refusal_of_endpoints(read.value, server).find("registration_endpoint"), std::string::npos);
  read.value.registration_endpoint.clear();
  EXPECT_EQ(refusal_of_endpoints(read.value, server), "");
}

TEST(server_metadata, of_an_old_server_is_at_known_places) {
  auto known = default_server_metadata("https://server.example:8443/mcp");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->issuer, "https://server.example:8443");
  EXPECT_EQ(known->token_endpoint, "https://server.example:8443/token");
}

} // namespace metadata_test
TEST(resource_metadata, what_may_be_a_key_in_the_address_is_no_part_of_the_resource) {
  EXPECT_EQ(oauth::resource_of("https://h.example/mcp?api_key=secret#x"), "https://h.example/mcp");
  EXPECT_EQ(oauth::resource_of("no address"), "");
}

} // namespace oauth
