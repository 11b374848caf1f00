#include "tool_search/words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tool_search_words_test {

using strings = std::vector<std::string>;

strings parts(std::string_view text) {
  strings out;
  for (auto& w : tool_search::words_of(text))
    if (!w.is_whole)
      out.push_back(w.text);
  return out;
}

strings wholes(std::string_view text) {
  strings out;
  for (auto& w : tool_search::words_of(text))
    if (w.is_whole)
      out.push_back(w.text);
  return out;
}

TEST(words, split_at_case_digits_and_punctuation) {
  EXPECT_EQ(parts("readTextFile"), (strings{"read", "text", "file"}));
  EXPECT_EQ(parts("read_text-file/now"), (strings{"read", "text", "file", "now"}));
  EXPECT_EQ(parts("HTTPServer2go"), (strings{"http", "server", "2", "go"}));
  EXPECT_EQ(parts("  ... "), strings{});
  EXPECT_EQ(parts(""), strings{});
}

TEST(words, of_two_parts_are_words_as_well) {
  EXPECT_EQ(wholes("MySQL and OpenAI"), (strings{"mysql", "openai"}));
  EXPECT_EQ(wholes("my_sql"), strings{});
  EXPECT_EQ(wholes("readTextFile"), strings{});
}

TEST(words, of_other_scripts) {
  EXPECT_EQ(parts("使用必应"), (strings{"使", "用", "必", "应"}));
  EXPECT_EQ(parts("搜索，返回。"), (strings{"搜", "索", "返", "回"}));
  EXPECT_EQ(parts("größe señor"), (strings{"größe", "señor"}));
  EXPECT_EQ(parts("“quoted” — word"), (strings{"quoted", "word"}));
}

TEST(words, broken_utf8_is_bounded_by_the_text) {
  EXPECT_EQ(parts("\xe4"), (strings{"\xe4"}));
  EXPECT_EQ(parts("a\xf0"), (strings{"a\xf0"}));
}

TEST(words, skeletons_are_equal_however_a_name_is_written) {
  for (auto name : {"readFile", "read_file", "Read file", "READ-FILE"})
    EXPECT_EQ(tool_search::skeleton(name), "readfile") << name;
  EXPECT_NE(tool_search::skeleton("read_file"), tool_search::skeleton("read_files"));
  EXPECT_EQ(tool_search::skeleton("搜索"), "搜索");
}

TEST(words, have_stems) {
  tool_search::stemmer s;
  EXPECT_EQ(s.stem("repositories"), s.stem("repository"));
  EXPECT_EQ(s.stem("listing"), s.stem("lists"));
  EXPECT_NE(s.stem("file"), s.stem("folder"));
  EXPECT_EQ(s.stem("搜"), "搜");
  EXPECT_EQ(s.stem(""), "");
}

TEST(words, fillers_and_context) {
  EXPECT_TRUE(tool_search::is_filler("the"));
  EXPECT_FALSE(tool_search::is_filler("file"));
  EXPECT_TRUE(tool_search::begins_context("from"));
  EXPECT_FALSE(tool_search::begins_context("the"));
}

} // namespace tool_search_words_test
