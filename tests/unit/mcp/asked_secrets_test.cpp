#include "mcp/asked_secrets.hpp"

#include "tests/unit/support/values.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace mcp_asked_secrets_test {

TEST(asked_secrets, by_names) {
  for (auto* name : {"password", "Password", "userPassword", "user_password", "confirm-password", "githubToken",
                     "API key", "api_key", "apiKey", "APIKey (again)", "client_secret", "Password for GitHub",
                     "passphrase", "private key", "card number", "credentials", "Seed phrase", "access token", "token"})
    EXPECT_TRUE(mcp::names_secret(name)) << name;
  for (auto* name : {"name", "secret_name", "secretId", "max_tokens", "password policy", "token count", "key",
                     "issueKey", "passenger", "tokenizer", "code", "number", "", "label", "\u00fcber"})
    EXPECT_FALSE(mcp::names_secret(name)) << name;
}

TEST(asked_secrets, by_sentences) {
  for (auto* text : {"Enter your password", "Please enter the new API key:", "What is your GitHub token?",
                     "I need a password, please.", "Paste the access token here", "Your passphrase?"})
    EXPECT_TRUE(mcp::asks_for_secret(text)) << text;
  for (auto* text : {"Which label for 'Password reset is broken'?", "The password was changed. Go on?",
                     "Give the password policy a name", "What title?", "", "How many tokens may it use"})
    EXPECT_FALSE(mcp::asks_for_secret(text)) << text;
}

std::string found(std::string_view params) { return mcp::secret_asked_for(test::object(params)); }

TEST(asked_secrets, of_forms) {
  EXPECT_EQ(found(R"({"message":"m","requestedSchema":{"properties":{"a":{"type":"string"}}}})"), "");
  EXPECT_EQ(found(R"({"requestedSchema":{"properties":{"userPassword":{"type":"string"}}}})"),
            "the field 'userPassword'");
  EXPECT_EQ(found(R"({"requestedSchema":{"properties":{"a":{"type":"string","title":"API key"}}}})"), "the field 'a'");
  EXPECT_EQ(found(R"({"requestedSchema":{"properties":{"a":{"description":"Your password"}}}})"), "the field 'a'");
  EXPECT_EQ(found(R"({"requestedSchema":{"properties":{"a":{"type":"string","format":"password"}}}})"),
            "the field 'a'");
  EXPECT_EQ(found(R"({"message":"Enter your password","requestedSchema":{"properties":{"a":{"type":"string"}}}})"),
            "its message");
  EXPECT_EQ(found(R"({"message":"Reset your password?","requestedSchema":{"properties":{"a":{"type":"boolean"}}}})"),
            "")
    << "nobody can write it there";
  EXPECT_EQ(found(R"({"requestedSchema":{"properties":{"token":{"type":"string","enum":["a","b"]}}}})"), "")
    << "it is chosen";
  for (auto* odd : {"{}", R"({"requestedSchema":5})", R"({"requestedSchema":{"properties":[]}})",
                    R"({"requestedSchema":{"properties":{"password":5}}})",
                    R"({"message":5,"requestedSchema":{"properties":{"a":{"type":7,"title":7}}}})"})
    EXPECT_EQ(found(odd), "") << odd;
}

TEST(asked_secrets, are_looked_for_in_bounds) {
  boost::json::object fields;
  for (int i = 0; i < 300; ++i)
    fields["f" + std::to_string(i)] = boost::json::object{{"type", "string"}};
  EXPECT_NE(mcp::secret_asked_for({{"requestedSchema", boost::json::object{{"properties", fields}}}}), "");
  EXPECT_FALSE(mcp::asks_for_secret(std::string(16u << 20, 'x')));
}

} // namespace mcp_asked_secrets_test
