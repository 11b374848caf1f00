#include "config/secrets.hpp"

#include <gtest/gtest.h>

namespace config_secrets_test {

TEST(secrets, are_recognized) {
  for (auto* text : {"sk-abc", "ghp_x", "github_pat_1", "xoxb-1", "AKIA123", "AIzaX", "eyJhbGciOi", "Bearer abc", "-----BEGIN PRIVATE KEY-----",
                     "https://user:password@example.com/x", "key=sk-abc", "/path/ghp_x", "a, npm_x"})
    EXPECT_TRUE(config::looks_secret(text)) << text;
  for (auto* text : {"", "/home/u/projects", "risk-abc", "task_force", "https://example.com/a:b@c", "docker.io/library/python:3.14", "user@host",
                     "mcp__fs__*", "65534:65534"})
    EXPECT_FALSE(config::looks_secret(text)) << text;
}

TEST(secrets, have_names_too) {
  for (auto* name : {"API_KEY", "github_token", "PGPASSWORD", "Authorization", "MYSQL_PWD", "SENTRY_DSN"})
    EXPECT_TRUE(config::is_secret_variable(name, "anything")) << name;
  for (auto* name : {"LOG_LEVEL", "SSH_KEY_PATH", "TOKEN_FILE", "HOME", "AUTH_MODE", "GIT_AUTHOR_NAME", "PWD_BASE"})
    EXPECT_FALSE(config::is_secret_variable(name, "/home/u/x")) << name;
  EXPECT_TRUE(config::is_secret_variable("ANYTHING", "sk-abc"));
}

} // namespace config_secrets_test
