#include "proxy/surface/known_clients.hpp"

#include <gtest/gtest.h>

namespace tools_known_clients_test {

TEST(known_clients, are_of_clients_that_are_known) {
  EXPECT_EQ(surface::characters_shown_by("Cline"), 7'000u);
  for (auto* name : {"", "claude-code", "cline", "Cline ", "Clinex", "-"}) {
    EXPECT_EQ(surface::characters_shown_by(name), SIZE_MAX) << name;
    EXPECT_FALSE(surface::shows_meta(name)) << name;
    EXPECT_FALSE(surface::guesses_structure(name)) << name;
  }
}

TEST(known_clients, say_who_shows_what_is_for_programs) {
  for (auto* name : {"Cline", "@cline/core", "gemini-cli-mcp-client", "qwen-cli-mcp-client-of mine"})
    EXPECT_TRUE(surface::shows_meta(name)) << name;
}

TEST(known_clients, say_who_guesses_a_structure) {
  EXPECT_TRUE(surface::guesses_structure("gemini-cli-mcp-client"));
  EXPECT_FALSE(surface::guesses_structure("Cline"));
}

} // namespace tools_known_clients_test
