#include "tool_search/vocabulary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tool_search_vocabulary_test {

using tool_search::vocabulary;
using strings = std::vector<std::string>;

strings texts(const vocabulary& v, const std::vector<tool_search::term_id>& terms) {
  strings out;
  for (auto t : terms)
    out.emplace_back(v.text(t));
  return out;
}

vocabulary make(const strings& words) {
  vocabulary v;
  for (auto& w : words)
    v.add(w);
  v.prepare();
  return v;
}

TEST(vocabulary, gives_each_word_one_number) {
  vocabulary v;
  auto a = v.add("alpha"), b = v.add("beta");
  EXPECT_NE(a, b);
  EXPECT_EQ(v.add("alpha"), a);
  EXPECT_EQ(v.find("beta"), b);
  EXPECT_EQ(v.find("gamma"), tool_search::no_term);
  EXPECT_EQ(v.text(a), "alpha");
  EXPECT_EQ(v.size(), 2U);
}

TEST(vocabulary, keeps_everything_while_it_grows) {
  vocabulary v;
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(v.add("word" + std::to_string(i)), static_cast<tool_search::term_id>(i));
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(v.find("word" + std::to_string(i)), static_cast<tool_search::term_id>(i));
}

TEST(vocabulary, finds_what_a_shortened_word_begins) {
  auto v = make({"repositori", "report", "repo", "delet", "re"});
  EXPECT_EQ(texts(v, v.beginning_with("repo")), (strings{"repo", "report", "repositori"}));
  EXPECT_EQ(texts(v, v.beginning_with("re")), strings{});
  EXPECT_EQ(texts(v, v.beginning_with("zzz")), strings{});
}

TEST(vocabulary, finds_what_a_mistyped_word_means) {
  auto v = make({"calendar", "colander", "file", "fire", "tile", "pie"});
  EXPECT_EQ(texts(v, v.near("calender", 8)), (strings{"calendar", "colander"}));
  EXPECT_EQ(texts(v, v.near("flie", 4)), (strings{"file"})); // letters in the wrong order count one
  EXPECT_EQ(texts(v, v.near("dile", 4)), (strings{"file", "tile"}));
  EXPECT_EQ(texts(v, v.near("pje", 3)), strings{});
  EXPECT_EQ(texts(v, v.near("fil", 4)), strings{"file"}); // the stem of a word of four letters
}

TEST(vocabulary, guesses_are_bounded) {
  strings many;
  for (char c = 'a'; c <= 'z'; ++c)
    many.push_back(std::string{"same"} + c);
  auto v = make(many);
  EXPECT_EQ(v.beginning_with("same").size(), tool_search::guesses_max);
  EXPECT_EQ(v.near("same1", 5).size(), tool_search::guesses_max);
}

TEST(vocabulary, an_empty_one_knows_nothing) {
  vocabulary v;
  v.prepare();
  EXPECT_EQ(v.find(""), tool_search::no_term);
  EXPECT_TRUE(v.beginning_with("abc").empty());
  EXPECT_TRUE(v.near("abcd", 4).empty());
}

} // namespace tool_search_vocabulary_test
