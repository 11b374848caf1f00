#include "question.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tool_search_question_test {

using tool_search::read_question;

const tool_search::weights numbers;

std::map<std::string, float> weights_of(std::string_view text) {
  std::map<std::string, float> out;
  for (auto& sentence : read_question(text, numbers))
    for (auto& w : sentence)
      out[w.text] = w.weight;
  return out;
}

TEST(question, has_no_fillers) {
  EXPECT_EQ(weights_of("Please list all the files"), (std::map<std::string, float>{{"list", 1}, {"files", 1}}));
  EXPECT_TRUE(read_question("what is the", numbers).empty());
  EXPECT_TRUE(read_question("", numbers).empty());
  EXPECT_TRUE(read_question(" \n\n ", numbers).empty());
}

TEST(question, values_weigh_less) {
  auto w = weights_of("open <name> and \"great gatsby\" and 'white whale' and `code` or {brace} now");
  for (auto value : {"name", "great", "gatsby", "white", "whale", "code", "brace"})
    EXPECT_EQ(w.at(value), numbers.value) << value;
  EXPECT_EQ(w.at("open"), 1);
  EXPECT_EQ(w.at("now"), 1);
}

TEST(question, apostrophes_and_open_quotes_begin_no_value) {
  auto w = weights_of("show the user's file, and the owners' list 'til \"the end");
  for (auto word : {"show", "user", "file", "owners", "list", "end"})
    EXPECT_EQ(w.at(word), 1) << word;
  EXPECT_EQ(weights_of("print 'it isn't finished' twice").at("finished"), numbers.value);
}

TEST(question, context_weighs_less_until_the_sentence_ends) {
  auto w = weights_of("delete rows from the table. Rename columns");
  EXPECT_EQ(w.at("rows"), 1);
  EXPECT_EQ(w.at("table"), numbers.context);
  EXPECT_EQ(w.at("columns"), 1);
}

TEST(question, has_sentences) {
  EXPECT_EQ(read_question("Get it now. Sell stock! Buy bonds? Drop table; pay 3.5 euros\nLeave", numbers).size(), 6U);
  EXPECT_EQ(read_question("a.b.c version 3.5", numbers).size(), 1U);
  EXPECT_EQ(read_question("say \"one. two. three\"", numbers).size(), 1U);
}

TEST(question, is_bounded) {
  std::string many;
  for (int i = 0; i < 30; ++i)
    many += "first second. ";
  EXPECT_EQ(read_question(many, numbers).size(), tool_search::question_sentences_max);
  std::string longer;
  for (int i = 0; i < 500; ++i)
    longer += "word" + std::to_string(i) + " ";
  EXPECT_LE(read_question(longer, numbers).front().size(), tool_search::question_words_max);
  EXPECT_TRUE(read_question(std::string(tool_search::question_bytes_max, ' ') + "late", numbers).empty());
}

} // namespace tool_search_question_test
