#include "mcp/secret_mask.hpp"

#include <gtest/gtest.h>

namespace mcp_secret_mask_test {

using strings = std::vector<std::string>;

TEST(secret_mask, takes_out_all_of_them) {
  mcp::secret_mask mask{strings{"hunter-2-hunter", "hunter-2-hunter-and-more", "short", "first line\nsecond line"}};
  EXPECT_EQ(mask("key hunter-2-hunter, hunter-2-hunter-and-more", false), "key ***, ***");
  EXPECT_EQ(mask("hunter-2-hunterhunter-2-hunter", false), "******");
  EXPECT_EQ(mask("short hunter-2", false), "short hunter-2") << "what is that short is a word";
  EXPECT_EQ(mask("a first line and a second line", false), "a *** and a ***");
  EXPECT_EQ(mask("", true), "");
}

TEST(secret_mask, takes_out_one_that_is_cut) {
  mcp::secret_mask mask{strings{"hunter-2-hunter"}};
  EXPECT_EQ(mask("key hunter-2-hunt", true), "key ***");
  EXPECT_EQ(mask("key hunter-2-hunt", false), "key hunter-2-hunt");
  EXPECT_EQ(mask("key hunter-2-hunter", true), "key ***");
}

TEST(secret_mask, takes_them_out_of_json_too) {
  mcp::secret_mask mask{strings{"hun\"ter/2\\hunter"}};
  EXPECT_EQ(mask(R"({"key":"hun\"ter/2\\hunter"} and {"key":"hun\"ter\/2\\hunter"} and hun"ter/2\hunter)", false),
            R"({"key":"***"} and {"key":"***"} and ***)");
}

TEST(secret_mask, without_secrets_changes_nothing) { EXPECT_EQ(mcp::secret_mask{strings{}}("anything", true), "anything"); }

} // namespace mcp_secret_mask_test
