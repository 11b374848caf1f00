#include "proxy/tool_search.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace {

using strings = std::vector<std::string>;

TEST(words_of, splits_at_case_digits_and_punctuation) {
  struct {
    const char* text;
    strings words;
  } const cases[] = {
    {"", {}},
    {"---", {}},
    {"read", {"read"}},
    {"read_file", {"read", "file"}},
    {"readFile", {"read", "file"}},
    {"ReadFile", {"read", "file"}},
    {"read-file.now", {"read", "file", "now"}},
    {"HTTPServer", {"http", "server"}},
    {"parseHTML", {"parse", "html"}},
    {"file2", {"file", "2"}},
    {"2fa", {"2", "fa"}},
    {"ABC", {"abc"}},
    {"über file", {"über", "file"}},
    {"日本 語", {"日本", "語"}},
  };
  for (auto& c : cases)
    EXPECT_EQ(proxy::words_of(c.text), c.words) << c.text;
}

class tool_search_test : public testing::Test {
protected:
  tool_search_test() {
    fs_ = {tool("fs", "read_file", "Reads the contents of a file."), tool("fs", "write_file", "Writes text to a file on disk."),
           tool("fs", "list_directory", "Lists what is in a folder.")};
    github_ = {tool("github", "create_issue", "Opens a new issue in a repository."),
               tool("github", "search_issues", "Finds issues and pull requests."),
               tool("github", "get_file_contents", "Reads a file of a repository.")};
  }
  static msg::tool_info tool(std::string server, std::string name, std::string description) {
    return {std::move(server), std::move(name), std::move(description), {}};
  }
  msg::tool_matches ask(const msg::tool_query& q) { return proxy::search({&fs_, &github_}, q); }
  strings names(const std::string& text, uint32_t limit = 0, msg::tool_filter allowed = {}) {
    strings out;
    for (auto& t : ask({text, "", limit, std::move(allowed)}).tools)
      out.push_back(t.name);
    return out;
  }
  std::string first(const std::string& text) {
    auto all = names(text);
    return all.empty() ? "" : all.front();
  }
  msg::tool_list fs_, github_;
};

TEST_F(tool_search_test, finds_what_is_asked_for) {
  struct {
    const char *text, *first;
  } const cases[] = {
    {"read_file", "read_file"},      {"mcp__fs__read_file", "read_file"}, {"read file", "read_file"},         {"readFile", "read_file"},
    {"write", "write_file"},         {"issue", "create_issue"},           {"create issue", "create_issue"},   {"github file", "get_file_contents"},
    {"directory", "list_directory"}, {"folder", "list_directory"},        {"pull requests", "search_issues"}, {"READ FILE", "read_file"},
  };
  for (auto& c : cases)
    EXPECT_EQ(first(c.text), c.first) << c.text;
}

TEST_F(tool_search_test, a_typo_still_finds_its_tool) {
  for (auto* text : {"list_directroy", "directry", "list direcory"})
    EXPECT_EQ(first(text), "list_directory") << text;
  EXPECT_EQ(first("crate isue"), "create_issue");
  EXPECT_EQ(first("wirte"), "write_file");
}

TEST_F(tool_search_test, finds_nothing_where_there_is_nothing) {
  EXPECT_TRUE(names("kubernetes").empty());
  EXPECT_TRUE(names("zz").empty());
  EXPECT_TRUE(proxy::search({}, {"read", "", 0, {}}).tools.empty());
}

TEST_F(tool_search_test, an_empty_text_gives_all_in_order_of_name) {
  EXPECT_EQ(names(""), (strings{"list_directory", "read_file", "write_file", "create_issue", "get_file_contents", "search_issues"}));
}

TEST_F(tool_search_test, limits_and_counts) {
  auto m = ask({"", "", 2, {}});
  EXPECT_EQ(m.tools.size(), 2u);
  EXPECT_EQ(m.total, 6u);
  EXPECT_EQ(ask({"", "", 100, {}}).tools.size(), 6u);
}

TEST_F(tool_search_test, keeps_to_the_server_and_to_what_is_allowed) {
  auto m = ask({"file", "github", 0, {}});
  ASSERT_EQ(m.tools.size(), 1u);
  EXPECT_EQ(m.tools[0].server, "github");
  EXPECT_EQ(ask({"", "nothing", 0, {}}).total, 0u);
  EXPECT_EQ(names("file", 0, {false, {"mcp__github__*"}}), strings{"get_file_contents"});
  EXPECT_TRUE(names("file", 0, {false, {}}).empty());
  EXPECT_EQ(names("", 0, {false, {"mcp__*__read_file"}}), strings{"read_file"});
}

TEST_F(tool_search_test, the_same_question_has_the_same_answer_whatever_the_order_of_the_lists) {
  for (auto* text : {"file", "issue", "read contents", "a"}) {
    msg::tool_query q{text, "", 0, {}};
    auto a = proxy::search({&fs_, &github_}, q), b = proxy::search({&github_, &fs_}, q);
    ASSERT_EQ(a.tools.size(), b.tools.size());
    for (size_t i = 0; i < a.tools.size(); ++i)
      EXPECT_EQ(a.tools[i].name, b.tools[i].name) << text;
  }
}

TEST(named_servers, are_those_whose_words_are_in_the_text) {
  strings servers{"fs", "github", "my-server", "File System", "日本"};
  struct {
    const char* text;
    strings named;
  } const cases[] = {
    {"read a file from fs", {"fs"}},
    {"github issues", {"github"}},
    {"GITHUB issues", {"github"}},
    {"the my server tools", {"my-server"}},
    {"my tools", {}},
    {"file system search", {"File System"}},
    {"fs and github", {"fs", "github"}},
    {"fss", {}},
    {"", {}},
    {"日本", {"日本"}},
    {"my-server", {"my-server"}},
    {"git hub", {}},
  };
  for (auto& c : cases)
    EXPECT_EQ(proxy::named_servers(c.text, servers), c.named) << c.text;
}

TEST(named_servers, the_usual_spelling_of_a_name_names_it) { // "a whole word of the query equals its name", in any case
  EXPECT_EQ(proxy::named_servers("GitHub issues", {"github"}), strings{"github"});
  EXPECT_EQ(proxy::named_servers("my YouTube list", {"youtube"}), strings{"youtube"});
}

TEST(named_servers, a_server_of_punctuation_is_named_by_itself_only) {
  EXPECT_EQ(proxy::named_servers("---", {"---"}), strings{"---"});
  EXPECT_TRUE(proxy::named_servers("anything", {"---"}).empty());
}

} // namespace
