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

} // namespace config_secrets_test
