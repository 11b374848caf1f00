#include "messages/printable.hpp"

#include <gtest/gtest.h>

namespace messages_printable_test {

using msg::find_control;
using msg::printable;

TEST(printable, keeps_text) {
  for (std::string_view text : {"", "abc", "a\tb", "é", "日本", "😀", "~"})
    EXPECT_EQ(printable(text), text);
}

TEST(printable, shows_what_a_terminal_would_obey) {
  EXPECT_EQ(printable("\x1b]0;title\x07\x1b[31mred"), "\\u001b]0;title\\u0007\\u001b[31mred");
  EXPECT_EQ(printable("a\nb\r\n"), "a\\nb\\r\\n") << "a line of a log can not be forged";
  EXPECT_EQ(printable(std::string_view{"a\0b\x7f", 4}), "a\\u0000b\\u007f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m")
    << "CSI in one character";
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b\xE2\x80\xA8\xE2\x81\xA6"),
            "a\\u202eb\\u2028\\u2066");
  EXPECT_EQ(printable("\x9B"
                      "31m"),
            "\xEF\xBF\xBD"
            "31m")
    << "no UTF-8";
}

TEST(find_control, finds_the_first) {
  EXPECT_EQ(find_control("é日本😀 ~"), std::string_view::npos);
  EXPECT_EQ(find_control(std::string_view{"ab\0c", 4}), 2u);
  EXPECT_EQ(find_control("\x7f"), 0u);
  EXPECT_EQ(find_control("a\xC2\x85"), 1u);
  EXPECT_EQ(find_control("\xC2\xA0"), std::string_view::npos) << "a space that does not break";
  EXPECT_EQ(find_control("a\n\tb\x1b", "\n\t"), 4u);
}

} // namespace messages_printable_test
