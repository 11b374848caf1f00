#include "config/secrets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace config_secrets_test {

TEST(secrets, are_recognized) {
  for (auto* text :
       {"sk-abc", "ghp_x", "github_pat_1", "xoxb-1", "AKIA123", "AIzaX", "eyJhbGciOi", "Bearer abc",
        "-----BEGIN PRIVATE KEY-----", "https://user:password@example.com/x", "key=sk-abc", "/path/ghp_x", "a, npm_x",
        R"({"k":"sk-abc"})", "https://h/?ghp_x", "a=b&ghp_x", "a;AKIA1", "http://a/ and redis://:p@h"})
    EXPECT_TRUE(config::looks_secret(text)) << text;
  for (auto* text : {"", "/home/u/projects", "risk-abc", "task_force", "https://example.com/a:b@c",
                     "docker.io/library/python:3.14", "user@host", "mcp__fs__*", "65534:65534"})
    EXPECT_FALSE(config::looks_secret(text)) << text;
}

TEST(secrets, stand_before_the_hosts_of_urls) {
  auto passwords = [](const std::string& text) { // what is told alone beside the URL itself and its tokens
    EXPECT_TRUE(config::looks_secret(text)) << text;
    return config::parts_of_secret(text);
  };
  for (std::string password : {"Kx7/Qp2mZr9T", "Kx7'Qp2mZr9T", "Kx7\"Qp2mZr9T", "a@b/c", "a/b@c", "p#q?r"}) {
    auto found = passwords("x postgresql://admin:" + password + "@db.host:5432/prod y");
    EXPECT_EQ(std::count(found.begin(), found.end(), password), 1) << password;
  }
  auto first = passwords("http://u:a/b@h/x?mail=c@d,http://u:e/f@h");
  for (std::string each : {"a/b", "e/f"})
    EXPECT_EQ(std::count(first.begin(), first.end(), each), 1) << each;
  for (std::string before : {"https://", "redis://", "https://o@h https://"}) {
    auto found = passwords(before + "q7Lm2Rv5Zp8Wd3Hs6Jf1@github.com/o/r.git");
    EXPECT_GE(std::count(found.begin(), found.end(), "q7Lm2Rv5Zp8Wd3Hs6Jf1"), 1) << before;
  }
  for (auto* text :
       {"https://registry.npmjs.org/@scope/package-name-1", "http://localhost:3000/users/@me",
        "https://[::1]:80/@vite/client", "ssh://git@github.com:22/owner/repo-1234567@v1.0.0",
        "git+https://git@github.com/owner/repository-1234@v1.0.0", "https://my-organization@dev.azure.com/x",
        "https://first.last@example.com/", "http://:@", "http://user:@h"})
    EXPECT_FALSE(config::looks_secret(text)) << text;
}

TEST(secrets, stand_behind_names_of_users) {
  for (auto* option : {"-u", "-U", "--user", "--proxy-user"}) {
    EXPECT_EQ(config::password_of_user(option, "admin:q7Lm2Rv5:Zp8/Wd3Hs"), "q7Lm2Rv5:Zp8/Wd3Hs");
    EXPECT_EQ(config::password_of_user(option, "admin:12345678"), "12345678");
    for (auto* value :
         {"", "user", "somebody-else-1", "1000:1000", "65534:65534", "node:node", "app:1000", "localhost:8080/mcp",
          "www-data:www-data", "https://h/a:q7Lm2Rv5Zp8", "C:\\q7Lm2Rv5Zp8", "admin:"})
      EXPECT_EQ(config::password_of_user(option, value), "") << value;
  }
  EXPECT_EQ(config::password_of_user("--image", "admin:q7Lm2Rv5Zp8"), "");
}

TEST(secrets, have_more_names) {
  for (auto* name :
       {"AUTH_HEADER", "MCP_AUTH_HEADER", "HMAC", "WEBHOOK_HMAC", "OTP_SEED", "ENCRYPTION_SEED", "ACCESS_CODE"}) {
    EXPECT_TRUE(config::is_secret_variable(name, "q7Lm2Rv5Zp8Wd3Hs6Jf1")) << name;
    EXPECT_TRUE(config::is_secret_pair(name, "q7Lm2Rv5Zp8Wd3Hs6Jf1")) << name;
    EXPECT_FALSE(config::is_secret_variable(name, "disabled")) << name;
  }
  for (auto* name : {"MNEMONIC", "WALLET_MNEMONIC", "SEED_PHRASE"})
    EXPECT_TRUE(config::is_secret_variable(name, "abandon ability able about")) << name;
  for (auto* name :
       {"SEED", "RANDOM_SEED", "AUTHOR_HEADER", "HMAC_ALGORITHM", "ACCESS_CODES", "MNEMONICS", "ENCRYPTION"})
    EXPECT_FALSE(config::is_secret_variable(name, "q7Lm2Rv5Zp8Wd3Hs6Jf1")) << name;
}

TEST(secrets, have_whole_words_as_names) {
  for (auto* name : {"AZURE_DEVOPS_EXT_PAT", "ADMIN_PW", "BASIC_AUTH", "JWT", "BEARER", "CONNECTION_STRING",
                     "SLACK_WEBHOOK_URL", "--auth", "ConnectionString", "SESSION_ID"})
    EXPECT_TRUE(config::is_secret_variable(name, "q7Lm2Rv5Zp8Wd3Hs6Jf1")) << name;
  for (auto* name :
       {"AUTHOR", "PATTERN", "PATCH", "XPATH", "AUTH_MODE", "SIGNAL", "PWA", "GIT_AUTHOR_NAME", "--author"})
    EXPECT_FALSE(config::is_secret_variable(name, "q7Lm2Rv5Zp8Wd3Hs6Jf1")) << name;
  EXPECT_TRUE(config::is_secret_variable("TEAM_WEBHOOK_URL",
                                         "https://hooks.slack.com/services/T0000/B0000/q7Lm2Rv5Zp8Wd3Hs6Jf1"));
  for (auto* value : {"disabled", "/home/user/my-project-2024/authentication", "https://example.com/hooks/incoming",
                      "createdAt", "none"})
    EXPECT_FALSE(config::is_secret_variable("BASIC_AUTH", value)) << value;
}

TEST(secrets, are_not_what_people_write) {
  for (auto* text : {"", "disabled", "createdAt", "DefaultEndpointsProtocol", "read-write access",
                     "/usr/lib/python3/site-packages", "C:\\Users\\somebody",
                     "https://db-01.internal.example.com:8443/api/v2/documentation", "./node-18/some-long-folder-name"})
    EXPECT_TRUE(config::is_ordinary(text)) << text;
  for (auto* text : {"q7Lm2Rv5Zp8Wd3Hs6Jf1", "kTQxLmRvZpWdHsJf", "abcdefghijklmnopqrst", "hunter-2-hunter",
                     "/q7Lm2Rv5Zp8Wd3Hs6Jf1", "https://h/550e8400-e29b-41d4-a716-446655440000", "user:word"})
    EXPECT_FALSE(config::is_ordinary(text)) << text;
}

TEST(secrets, have_parts) {
  using strings = std::vector<std::string>;
  EXPECT_EQ(config::parts_of_secret("Server=db-01.database.windows.net;EndpointSuffix=core.windows.net;Id=q7Lm2Rv5"),
            (strings{"Server=db-01.database.windows.net;EndpointSuffix=core.windows.net;Id=q7Lm2Rv5", "q7Lm2Rv5"}));
  EXPECT_EQ(config::parts_of_secret("mysql://u:hunter@h/db"), (strings{"mysql://u:hunter@h/db", "hunter"}));
}

TEST(secrets, have_names_too) {
  for (auto* name : {"API_KEY", "github_token", "PGPASSWORD", "Authorization", "MYSQL_PWD", "SENTRY_DSN"})
    EXPECT_TRUE(config::is_secret_variable(name, "anything")) << name;
  for (auto* name : {"LOG_LEVEL", "SSH_KEY_PATH", "TOKEN_FILE", "HOME", "AUTH_MODE", "GIT_AUTHOR_NAME", "PWD_BASE"})
    EXPECT_FALSE(config::is_secret_variable(name, "/home/u/x")) << name;
  EXPECT_TRUE(config::is_secret_variable("ANYTHING", "sk-abc"));
}

} // namespace config_secrets_test
