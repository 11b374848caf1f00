#include "deprecation.hpp"
#include "tool_search/rank.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tool_search_deprecation_test {

using strings = std::vector<std::string>;

strings ask(const tool_search::search_index& index, std::string_view text) {
  strings out;
  for (auto& h : tool_search::search(index, {.text = text}).hits)
    out.emplace_back(index.name_of(h.tool));
  return out;
}

TEST(deprecation, is_what_a_tool_says_of_itself) {
  for (auto text :
       {"Read a file as text. DEPRECATED: Use read_text_file instead.", "[Deprecated] Reads a file",
        "(deprecated) Reads a file", "**Deprecated** Reads.", "Deprecated. Reads a file", "Deprecated - use other",
        "This tool is deprecated", "Reads. This function has been deprecated since 2.0.", "Reads (deprecated, use b)",
        "Deprecated in favor of b", "Obsolete: use b", "DEPRECATED", "Reads.\nDeprecated: b is better",
        "This is now deprecated."})
    EXPECT_TRUE(tool_search::calls_itself_deprecated(text)) << text;
}

TEST(deprecation, is_not_what_a_tool_deals_with) {
  for (auto text :
       {"", "Reads a file", "Finds deprecated packages", "Deprecated packages of a project",
        "Lists APIs that are deprecated.", "Checks whether an API is deprecated", "Marks versions as deprecated or not",
        "name, deprecated flag, tags", "Tells if a package is deprecated"})
    EXPECT_FALSE(tool_search::calls_itself_deprecated(text)) << text;
}

TEST(deprecation, is_looked_for_in_a_bounded_part_of_any_text) {
  EXPECT_FALSE(tool_search::calls_itself_deprecated(std::string(1U << 20U, 'x') + ". Deprecated: use b"));
  std::string many;
  for (int i = 0; i < 100'000; ++i)
    many += "deprecated";
  EXPECT_FALSE(tool_search::calls_itself_deprecated(many + " packages"));
  EXPECT_FALSE(tool_search::calls_itself_deprecated(std::string("is \0 deprecated x", 17)));
}

class succession_test : public testing::Test {
protected:
  succession_test() {
    index_.set_server(
      "disk", {{"read_file", "Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.",
                "path", ""},
               {"read_text_file",
                "Read the complete contents of a file from the file system as text. Handles various encodings and "
                "gives detailed errors if it cannot be read. Only works within allowed directories.",
                "path\nhead\ntail", "\nFirst lines\nLast lines"},
               {"read_multiple_files", "Read the contents of multiple files simultaneously.", "paths", ""},
               {"write_file", "Create a new file", "path", ""}});
    index_.set_server("other", {{"read_text_file", "Something quite different is done here", "a", ""}});
    index_.build();
  }
  tool_search::search_index index_;
};

TEST_F(succession_test, the_successor_comes_first_however_the_question_is_written) {
  for (auto text : {"read file", "read_file", "read a file", "disk read_file", "read the contents of a file"}) {
    auto answer = tool_search::search(index_, {.text = text});
    ASSERT_GT(answer.hits.size(), 1U) << text;
    EXPECT_EQ(index_.name_of(answer.hits[0].tool), "read_text_file") << text;
    EXPECT_EQ(index_.server_of(answer.hits[0].tool), "disk") << "of its own server only: " << text;
    for (auto& h : answer.hits)
      EXPECT_EQ(h.is_deprecated, index_.name_of(h.tool) == "read_file") << text;
  }
}

TEST_F(succession_test, a_deprecated_tool_is_still_found) {
  auto found = ask(index_, "read_file");
  ASSERT_GT(found.size(), 1U);
  EXPECT_EQ(found[1], "read_file");
}

TEST_F(succession_test, the_mark_is_no_word) {
  for (auto text : {"deprecated", "\x01\x02\x03\x04 deprecated \x04\x03\x02\x01"}) {
    auto found = ask(index_, text);
    EXPECT_EQ(found, strings{"read_file"}) << text << ": by its description";
  }
}

TEST(succession, of_names_that_are_absurdly_long_is_not_looked_for) {
  std::string name = "a";
  for (int i = 0; i < 5'000; ++i)
    name += "_a";
  tool_search::search_index index;
  std::vector<tool_search::tool_text> tools(300, {name, "Deprecated: use " + name, "", ""});
  tools.push_back({"a_b", "Does a", "", ""});
  index.set_server("s", tools);
  index.build();
  EXPECT_FALSE(ask(index, "a b").empty());
}

} // namespace tool_search_deprecation_test
