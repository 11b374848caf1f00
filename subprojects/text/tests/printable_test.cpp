#include "text/printable.hpp"

#include <gtest/gtest.h>

namespace text_printable_test {

using text::find_control;
using text::printable;

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

TEST(printable, shows_what_can_not_be_seen) {
  EXPECT_EQ(printable("pay\xE2\x80\x8Bpal\xEF\xBB\xBF\xC2\xAD\xE2\x81\xA0"), "pay\\u200bpal\\ufeff\\u00ad\\u2060");
  EXPECT_EQ(printable("a\xF3\xA0\x81\x81"), "a\\udb40\\udc41");
  EXPECT_EQ(printable("git\u3164hub \u115F\u034F\uFFFE"), "git\\u3164hub \\u115f\\u034f\\ufffe");
  std::string_view blanks = "1\u202F000\u00A0km\u3000\u2009", heart = "\u2764\uFE0F";
  EXPECT_EQ(printable(blanks), blanks);
  EXPECT_EQ(printable(heart), heart);
  std::string_view family = "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9", persian = "\xD9\x85\xE2\x80\x8C\xDB\x8C";
  EXPECT_EQ(printable(family), family);
  EXPECT_EQ(printable(persian), persian);
}

TEST(without_escape_sequences, leaves_what_is_seen) {
  EXPECT_EQ(text::without_escape_sequences("\x1b[1;31mred\x1b[0m plain\x1b[2K\x1b[?25l"), "red plain");
  EXPECT_EQ(text::without_escape_sequences("\x1b]0;title\x07"
                                           "a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"),
            "alink");
  EXPECT_EQ(text::without_escape_sequences("\xC2\x9B"
                                           "31mred \xC2\xA3"),
            "red \xC2\xA3");
  EXPECT_EQ(text::without_escape_sequences("\x1b(Ba\x1b[4 qb\x1b[!pc\x1b"), "abc");
  EXPECT_EQ(text::without_escape_sequences("\xC2\x9D"
                                           "0;title\xC2\x9C"
                                           "a\x1bP1$r\x1b\\b"),
            "ab");
  EXPECT_EQ(text::without_escape_sequences("a\r\nb\bc\a \\u001b[31m"), "a\r\nb\bc\a \\u001b[31m") << "no sequence";
}

TEST(without_escape_sequences, a_sequence_without_an_end_hides_nothing) {
  EXPECT_EQ(text::without_escape_sequences("\x1b]0;title and all that follows"), "]0;title and all that follows");
  EXPECT_EQ(text::without_escape_sequences("\x1b[31\nred"), "[31\nred");
  auto whole = "\x1b[" + std::string(text::sequence_bytes_max + 1, '1') + "m";
  EXPECT_EQ(text::without_escape_sequences(whole), whole.substr(1));
  auto many = std::string(1'000'000, '\x1b');
  EXPECT_EQ(text::without_escape_sequences(many), "");
}

TEST(without_escape_sequences, what_follows_an_escape_by_chance_stays) {
  for (auto begin : {"\x1b", "\x1b[", "\x1b[1;2;3", "\x1b]0;title", "\x1bP1", "\x1b_x", "\x1b^x", "\x1bX", "\xC2\x9B",
                     "\xC2\x9D"
                     "0;t",
                     "\xC2\x90"})
    for (auto end : {" AFTER\nsecond line\a", " AFTER\nsecond line\x1b\\"}) {
      auto shown = text::without_escape_sequences(std::string{"before"} + begin + end);
      EXPECT_TRUE(shown.starts_with("before")) << shown;
      EXPECT_NE(shown.find(" AFTER\nsecond line"), shown.npos) << shown;
      EXPECT_EQ(shown.find('\x1b'), shown.npos) << shown;
    }
}

TEST(without_escape_sequences, says_what_it_has_left_out) {
  auto of = [](std::string_view text) {
    text::left_out what{};
    text::without_escape_sequences(text, &what);
    return what;
  };
  EXPECT_EQ(of("plain \xC2\xA3"), text::left_out::nothing);
  EXPECT_EQ(of("\x1b[31mred\x1b(B\x1b[m"), text::left_out::colours);
  for (auto other : {"\x1b[31m\x1b[2K", "\x1b]0;t\a\x1b[31m", "\x1b", "\xC2\x9B"})
    EXPECT_EQ(of(other), text::left_out::sequences) << other;
}

TEST(without_terminal_control, is_what_a_terminal_shows) {
  EXPECT_EQ(text::without_terminal_control("10%\r20%\r\n"), "10%\n20%\r\n");
  EXPECT_EQ(text::without_terminal_control("N\bNA\bA \xC3\xA9\b_\bx\a"), "NA x");
  EXPECT_EQ(text::without_terminal_control("a\n\bb"), "a\nb");
}

TEST(find_control, finds_the_first) {
  EXPECT_EQ(find_control("é日本😀 ~"), std::string_view::npos);
  EXPECT_EQ(find_control(std::string_view{"ab\0c", 4}), 2u);
  EXPECT_EQ(find_control("\x7f"), 0u);
  EXPECT_EQ(find_control("a\xC2\x85"), 1u);
  EXPECT_EQ(find_control("\xC2\xA0"), std::string_view::npos) << "a space that does not break";
  EXPECT_EQ(find_control("a\n\tb\x1b", "\n\t"), 4u);
}

} // namespace text_printable_test
