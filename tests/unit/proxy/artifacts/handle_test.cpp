#include "proxy/artifacts/handle.hpp"
#include "proxy/artifacts/resource.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <set>

namespace outputs_handle_test {

TEST(handle, is_short_and_never_the_same) {
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) {
    auto handle = artifacts::new_handle();
    EXPECT_TRUE(artifacts::is_handle(handle)) << handle;
    EXPECT_EQ(handle.size(), 14u);
    EXPECT_TRUE(seen.insert(handle).second) << handle;
  }
}

TEST(handle, of_a_wrong_form_is_none) {
  EXPECT_TRUE(artifacts::is_handle("out_abcdefgh27"));
  for (auto* text : {"", "out_", "out_abcdefgh", "out_abcdefgh234", "out_ABCDEFGHIJ", "out_abcdefgh18", "abcdefghij",
                     "out_../../etc", "out_abcdefghi/", "out_abcdefghi.", "../out_abcdefghij", "out_abcdefghij.json"})
    EXPECT_FALSE(artifacts::is_handle(text)) << text;
  EXPECT_FALSE(artifacts::is_handle(std::string_view{"out_abcdefghi\0", 14}));
}

TEST(resource, has_a_uri) {
  EXPECT_EQ(artifacts::uri_of("out_abcdefghij"), "code-executor://outputs/out_abcdefghij");
  EXPECT_EQ(artifacts::handle_of("code-executor://outputs/out_abcdefghij"), "out_abcdefghij");
  for (auto* uri : {"", "out_abcdefghij", "code-executor://outputs/", "code-executor://outputs/../x",
                    "code-executor://outputs/out_abcdefghij/", "CODE-EXECUTOR://outputs/out_abcdefghij",
                    "code-executor://other/out_abcdefghij"})
    EXPECT_EQ(artifacts::handle_of(uri), "") << uri;
}

TEST(resource, has_contents) {
  EXPECT_EQ(artifacts::contents("u:v", "text/plain", "a\n"),
            test::object(R"({"contents":[{"uri":"u:v","mimeType":"text/plain","text":"a\n"}]})"));
}

} // namespace outputs_handle_test
