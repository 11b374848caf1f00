#include "tool_search/search_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace tool_search_search_index_test {

using tool_search::search_index;
using tool_search::tool_text;

class search_index_test : public testing::Test {
protected:
  tool_search::term_id term(std::string_view word) const { return index_.terms().find(index_.stems().stem(word)); }
  std::set<std::string> tools_with(std::string_view word) const {
    std::set<std::string> out;
    for (auto p : index_.postings(term(word)))
      out.emplace(index_.name_of(p.tool));
    return out;
  }
  unsigned impact(std::string_view word, std::string_view tool) const {
    for (auto p : index_.postings(term(word)))
      if (index_.name_of(p.tool) == tool)
        return p.impact;
    return 0;
  }

  search_index index_;
};

TEST_F(search_index_test, an_empty_one_is_empty) {
  index_.build();
  EXPECT_EQ(index_.size(), 0U);
  EXPECT_TRUE(index_.postings(0).empty());
  EXPECT_TRUE(index_.names_beginning_with("a").empty());
}

TEST_F(search_index_test, every_field_leads_to_the_tool) {
  index_.set_server("disk", {{"read_file", "Opens documents", "path", "where it lies"}});
  index_.build();
  for (auto word : {"disk", "read", "file", "document", "path", "lies"})
    EXPECT_EQ(tools_with(word), std::set<std::string>{"read_file"}) << word;
  EXPECT_TRUE(tools_with("write").empty());
  EXPECT_EQ(index_.server_of(0), "disk");
}

TEST_F(search_index_test, a_name_says_more_than_a_description_and_that_more_than_parameters) {
  index_.set_server("s", {{"alpha", "x y", "", ""}, {"x", "alpha y", "", ""}, {"y", "x y", "alpha", ""}});
  index_.build();
  EXPECT_GT(impact("alpha", "alpha"), impact("alpha", "x"));
  EXPECT_GT(impact("alpha", "x"), impact("alpha", "y"));
  EXPECT_GT(impact("alpha", "y"), 0U);
}

TEST_F(search_index_test, in_a_long_text_a_word_says_less) {
  index_.set_server("s",
                    {{"a", "alpha", "", ""}, {"b", "alpha one two three four five six seven eight nine ten", "", ""}});
  index_.build();
  EXPECT_GT(impact("alpha", "a"), impact("alpha", "b"));
}

TEST_F(search_index_test, rare_terms_are_worth_more) {
  index_.set_server("s", {{"a", "common rare", "", ""}, {"b", "common", "", ""}, {"c", "common", "", ""}});
  index_.build();
  EXPECT_GT(index_.idf(term("rare")), index_.idf(term("common")));
  EXPECT_GE(index_.idf(tool_search::no_term), index_.idf(term("rare")));
}

TEST_F(search_index_test, a_server_is_replaced_and_removed) {
  index_.set_server("a", {{"one", "old text", "", ""}, {"two", "", "", ""}});
  index_.set_server("b", {{"three", "", "", ""}});
  index_.build();
  EXPECT_EQ(index_.size(), 3U);
  index_.set_server("a", {{"four", "new text", "", ""}});
  index_.build();
  EXPECT_EQ(index_.size(), 2U);
  EXPECT_TRUE(tools_with("old").empty());
  EXPECT_EQ(tools_with("new"), std::set<std::string>{"four"});
  index_.remove_server("a");
  index_.remove_server("never seen");
  index_.build();
  EXPECT_EQ(index_.size(), 1U);
  EXPECT_EQ(index_.name_of(0), "three");
  EXPECT_TRUE(tools_with("new").empty());
}

TEST_F(search_index_test, names_are_found_by_how_they_begin) {
  index_.set_server(
    "s", {{"readFile", "", "", ""}, {"read_files", "", "", ""}, {"reader", "", "", ""}, {"write", "", "", ""}});
  index_.build();
  EXPECT_EQ(index_.names_beginning_with("read").size(), 3U);
  auto found = index_.names_beginning_with("readfile");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(index_.name_of(found[0]), "readFile");
  EXPECT_TRUE(index_.names_beginning_with("writes").empty());
}

TEST_F(search_index_test, neighbours_are_pairs) {
  index_.set_server("s", {{"merge_request", "Close the open issue", "", ""}});
  index_.build();
  auto pairs = index_.pairs(0);
  auto has = [&](auto a, auto b) {
    return std::binary_search(pairs.begin(), pairs.end(), tool_search::pair_hash(term(a), term(b)));
  };
  EXPECT_TRUE(has("merge", "request"));
  EXPECT_TRUE(has("close", "open")); // a filler is between them
  EXPECT_FALSE(has("request", "merge"));
  EXPECT_FALSE(has("request", "close"));
}

TEST_F(search_index_test, of_a_server_with_too_many_words_the_names_are_read_on) {
  std::string text;
  for (int i = 0; i < 3'000; ++i)
    text += "w ";
  search_index::reading all{index_, "s"};
  for (size_t i = 0; i < tool_search::server_words_max / 3'000 + 2; ++i)
    all.add({"first_" + std::to_string(i), text, "", ""});
  all.add({"last", "unheard", "", ""});
  index_.build();
  EXPECT_EQ(index_.size(), 0U) << "nothing counts yet";
  index_.set_server(std::move(all));
  index_.build();
  EXPECT_EQ(tools_with("last"), std::set<std::string>{"last"});
  EXPECT_EQ(tools_with("unheard"), std::set<std::string>{});
}

TEST_F(search_index_test, very_long_texts_are_cut) {
  std::string text;
  for (size_t i = 0; i < tool_search::field_words_max + 10; ++i)
    text += "w ";
  index_.set_server("s", {{"tool", text + "beyond", "", ""}});
  index_.build();
  EXPECT_TRUE(tools_with("beyond").empty());
  EXPECT_FALSE(tools_with("w").empty());
}

} // namespace tool_search_search_index_test
