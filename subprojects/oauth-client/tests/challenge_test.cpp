#include "oauth_client/challenge.hpp"

#include <gtest/gtest.h>

namespace oauth {
namespace challenge_test {

TEST(challenge, of_bearer_is_read) {
  auto c =
    read_challenge(R"(Bearer realm="x", resource_metadata="https://h/a,b", scope="a b", error=insufficient_scope,)"
                   R"( error_description="say \"what\"")");
  EXPECT_TRUE(c.is_there);
  EXPECT_EQ(c.resource_metadata, "https://h/a,b");
  EXPECT_EQ(c.scope, "a b");
  EXPECT_EQ(c.error, "insufficient_scope");
  EXPECT_EQ(c.error_description, "say \"what\"");
}

TEST(challenge, is_found_among_others_in_any_case) {
  for (auto text : {R"(Basic realm="a, Bearer scope=b", bEaReR SCOPE="s")", R"(Negotiate, Bearer scope=s)",
                    R"(Negotiate abc==, Bearer scope = "s")", R"(DPoP algs="ES256", Bearer scope="s", DPoP scope="t")",
                    R"(, ,Bearer , Bearer scope=s)", R"(Basic, Digest a=b,c=d ,  bearer scope=s,)"}) {
    auto c = read_challenge(text);
    EXPECT_TRUE(c.is_there) << text;
    EXPECT_EQ(c.scope, std::string{text}.starts_with(", ,") ? "" : "s") << text;
  }
}

TEST(challenge, of_others_is_none) {
  for (auto text : {"", "DPoP scope=s", "Basic realm=\"Bearer scope=s\"", "Bearerx scope=s", "=", "\"Bearer\"",
                    "Basic realm=\"unfinished, Bearer scope=s"})
    EXPECT_FALSE(read_challenge(text).is_there) << text;
}

TEST(challenge, with_attacks_does_not_count) {
  EXPECT_FALSE(read_challenge("Bearer scope=a, scope=b").is_there) << "doubled";
  EXPECT_FALSE(read_challenge("Bearer scope=a, SCOPE=b").is_there) << "doubled";
  EXPECT_FALSE(read_challenge(std::string("Bearer scope=\"a\0b\"", 18)).is_there);
  EXPECT_FALSE(read_challenge("Bearer scope=\"a\x1b[2J\"").is_there);
  EXPECT_FALSE(read_challenge("Bearer scope=\"" + std::string(challenge_bytes_max, 'a') + "\"").is_there);
  EXPECT_EQ(read_challenge("Bearer scope=\"a\\").scope, "");
}

} // namespace challenge_test
} // namespace oauth
