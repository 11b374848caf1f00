#include "content_filter/known_content.hpp"

#include <gtest/gtest.h>

namespace content_filter_known_content_test {

TEST(known_content, is_what_the_filter_would_take_out) {
  for (auto text :
       {"kim@example.com", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "AKIAIOSFODNN7EXAMPLE", "4111 1111 1111 1111"})
    EXPECT_TRUE(content_filter::knows_content(text)) << text;
  for (auto text : {"", "open", "in_progress", "assignee", "created_at", "2026-11-22"})
    EXPECT_FALSE(content_filter::knows_content(text)) << text;
}

} // namespace content_filter_known_content_test
