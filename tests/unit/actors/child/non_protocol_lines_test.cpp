#include "actors/child/non_protocol_lines.hpp"

#include "messages/limits.hpp"

#include <gtest/gtest.h>

namespace child_non_protocol_lines_test {

using child::non_protocol_lines;

TEST(non_protocol_lines, the_first_and_the_last_are_told) {
  non_protocol_lines lines;
  EXPECT_TRUE(lines.is_empty());
  EXPECT_EQ(lines.first_text(), "");
  EXPECT_TRUE(lines.keep("Usage: kid"));
  EXPECT_FALSE(lines.keep("bye"));
  EXPECT_EQ(lines.first_text(), "; it printed: Usage: kid");
  EXPECT_EQ(lines.last_text(), "; it printed: bye");
  EXPECT_EQ(lines.last(), "bye");
}

TEST(non_protocol_lines, a_message_shows_that_the_protocol_is_spoken) {
  non_protocol_lines lines;
  lines.keep("welcome");
  lines.message_came();
  EXPECT_TRUE(lines.is_empty());
  EXPECT_EQ(lines.last(), "welcome") << "a call may still wait for what it was meant to be";
  EXPECT_TRUE(lines.keep("once more"));
}

TEST(non_protocol_lines, the_last_is_told_to_nobody_who_did_not_wait_for_it) {
  non_protocol_lines lines;
  lines.keep("noise");
  lines.nobody_waits();
  EXPECT_EQ(lines.last_text(), "");
  EXPECT_EQ(lines.first_text(), "; it printed: noise");
}

TEST(non_protocol_lines, another_process_has_printed_none) {
  non_protocol_lines lines;
  lines.keep("noise");
  lines.process_started();
  EXPECT_TRUE(lines.is_empty());
  EXPECT_EQ(lines.last(), "");
}

TEST(non_protocol_lines, so_many_are_logged_and_no_more_until_a_message_comes) {
  non_protocol_lines lines;
  for (size_t i = 1; i < msg::limits::child_garbage_lines_max; ++i)
    ASSERT_EQ(lines.logged("noise", "on its stdout"), "no JSON-RPC on its stdout: noise");
  EXPECT_EQ(lines.logged("noise", "on its stdout"), "no JSON-RPC on its stdout: noise; more of that is not shown");
  EXPECT_EQ(lines.logged("noise", "on its stdout"), "");
  lines.message_came();
  EXPECT_EQ(lines.logged("noise", "on its stdout"), "no JSON-RPC on its stdout: noise");
}

TEST(non_protocol_lines, know_what_was_meant_as_a_message) {
  EXPECT_TRUE(non_protocol_lines::may_be_message("{\"half\":"));
  EXPECT_TRUE(non_protocol_lines::may_be_message("[1,"));
  EXPECT_FALSE(non_protocol_lines::may_be_message("DEBUG: {}"));
  EXPECT_FALSE(non_protocol_lines::may_be_message(""));
}

} // namespace child_non_protocol_lines_test
