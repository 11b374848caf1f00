#include "proxy/summary.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <string>

namespace proxy_summary_test {

using proxy::summary;

TEST(summary, is_the_text_if_it_is_short) {
  EXPECT_EQ(summary("", 50), "");
  EXPECT_EQ(summary("Reads a file", 50), "Reads a file");
  EXPECT_EQ(summary("  Reads\n  a\tfile.\n\n", 50), "Reads a file.");
}

TEST(summary, ends_with_a_sentence) {
  const struct {
    const char *text, *wanted;
  } cases[] = {
    {"Reads a whole file. Then it does other things that are many", "Reads a whole file."},
    {"Reads a whole file! Does it end? Then it does other things", "Reads a whole file! Does it end?"},
    {"Reads files, e.g. those of a user. Then it does other things that are many",
     "Reads files, e.g. those of a user."},
    {"Reads a whole file\n\nArguments: a path, and many other things that follow", "Reads a whole file"},
    {"Reads a whole\nfile. Arguments: a path, and many other things", "Reads a whole file."},
    {"\u8bfb\u53d6\u6587\u4ef6\u3002\u8bfb\u53d6\u6587\u4ef6\u8bfb\u53d6\u6587\u4ef6\u8bfb\u53d6\u6587\u4ef6",
     "\u8bfb\u53d6\u6587\u4ef6\u3002"},
  };
  for (auto& c : cases)
    EXPECT_EQ(summary(c.text, 40), c.wanted);
}

TEST(summary, of_one_long_sentence_ends_with_a_word) {
  EXPECT_EQ(summary("Reads the complete contents of a file from a disk", 30), "Reads the complete contents...");
  EXPECT_EQ(summary("Note. Reads the complete contents of a file from a disk", 30), "Note. Reads the complete...");
  EXPECT_EQ(summary(std::string(100, 'x'), 30), std::string(27, 'x') + "...");
}

TEST(summary, is_bounded_and_valid_whatever_the_text_is) {
  for (size_t max = 0; max < 40; ++max)
    for (auto& text :
         {std::string(1U << 20U, ' ') + "x", std::string(1'000'000, 'x'),
          std::string("a\0b\x01 c. D", 10) + std::string(500, '.'),
          std::string{
            "xx\u65e5\u672c\u65e5\u672c\u65e5\u672c\u65e5\u672c\u65e5\u672c\u65e5\u672c\u65e5\u672c\u65e5\u672c"}}) {
      auto out = summary(text, max);
      EXPECT_LE(out.size(), std::max<size_t>(max, 3));
      EXPECT_TRUE(test::is_valid_utf8(out)) << max;
    }
}

} // namespace proxy_summary_test
