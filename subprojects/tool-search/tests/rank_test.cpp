#include "tool_search/rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tool_search_rank_test {

using tool_search::fit;
using tool_search::search_answer;
using tool_search::search_request;
using strings = std::vector<std::string>;

class rank_test : public testing::Test {
protected:
  rank_test() {
    index_.set_server("disk", {{"read_file", "Read the contents of one file", "path", "path of the file"},
                               {"read_many_files", "Read several files at once", "paths", ""},
                               {"move_file", "Move a file to another directory", "from, to", ""},
                               {"list_directory", "List what a directory contains", "path", ""}});
    index_.set_server("github", {{"create_issue", "Open an issue in a repository", "title", ""},
                                 {"search_repositories", "Find repositories", "query", ""},
                                 {"delete_repository", "Delete a repository for ever", "name", ""}});
    index_.set_server("gitlab", {{"create_issue", "Open an issue in a repository", "title", ""},
                                 {"create_pipeline", "Run a pipeline of a project", "project", ""}});
    index_.set_server("weather", {{"get_forecast", "Weather of the next days in a city", "city", ""}});
    index_.set_server("db",
                      {{"hostpool_list", "Lists pools", "", ""}, {"query", "Runs a query against MySQL", "sql", ""}});
    index_.build();
  }
  search_answer ask(std::string_view text) const { return tool_search::search(index_, {.text = text}); }
  std::string full_name(uint32_t tool) const {
    return index_.server_of(tool) + "." + std::string{index_.name_of(tool)};
  }
  strings names(const search_answer& answer) const {
    strings out;
    for (auto& h : answer.hits)
      out.push_back(full_name(h.tool));
    return out;
  }
  std::string first(std::string_view text) const {
    auto found = names(ask(text));
    return found.empty() ? "" : found.front();
  }

  tool_search::search_index index_;
};

TEST_F(rank_test, finds_what_is_described) {
  EXPECT_EQ(first("read a file"), "disk.read_file");
  EXPECT_EQ(first("show me several files at once"), "disk.read_many_files");
  EXPECT_EQ(first("what will the weather be in Rome tomorrow?"), "weather.get_forecast");
}

TEST_F(rank_test, exact_names_come_first_however_they_are_written) {
  for (auto text : {"create_pipeline", "createPipeline", "Create Pipeline", "gitlab.create_pipeline",
                    "mcp__gitlab__create_pipeline"}) {
    auto answer = ask(text);
    ASSERT_FALSE(answer.hits.empty()) << text;
    EXPECT_EQ(full_name(answer.hits[0].tool), "gitlab.create_pipeline") << text;
    EXPECT_EQ(answer.hits[0].name, tool_search::name_match::exact) << text;
  }
  EXPECT_EQ(first("query"), "db.query");
}

TEST_F(rank_test, then_names_that_begin_so) {
  auto answer = ask("search_rep");
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_EQ(full_name(answer.hits[0].tool), "github.search_repositories");
  EXPECT_EQ(answer.hits[0].name, tool_search::name_match::prefix);
  EXPECT_EQ(first("li"), "disk.list_directory"); // no word of the index
}

TEST_F(rank_test, words_are_found_in_other_forms_and_by_synonyms) {
  EXPECT_EQ(first("moving files"), "disk.move_file");
  EXPECT_EQ(first("remove repo"), "github.delete_repository");
  EXPECT_EQ(first("what is in this folder?"), "disk.list_directory");
}

TEST_F(rank_test, typing_errors_are_forgiven) {
  EXPECT_EQ(first("forcast"), "weather.get_forecast");
  EXPECT_EQ(first("serach repositroies"), "github.search_repositories");
}

TEST_F(rank_test, words_written_apart_or_together_are_the_same) {
  EXPECT_EQ(first("host pool"), "db.hostpool_list");
  EXPECT_EQ(first("mysql"), "db.query");
  EXPECT_EQ(first("readfile"), "disk.read_file");
}

TEST_F(rank_test, tools_of_a_server_that_is_named_come_before_others) {
  EXPECT_EQ(first("gitlab create an issue"), "gitlab.create_issue");
  EXPECT_EQ(first("create an issue on GitHub"), "github.create_issue");
}

TEST_F(rank_test, one_server_can_be_asked) {
  auto answer = tool_search::search(index_, {.text = "create_issue", .server = "gitlab"});
  for (auto& h : answer.hits) {
    EXPECT_EQ(index_.server_of(h.tool), "gitlab");
    EXPECT_TRUE(h.same.empty());
  }
  EXPECT_EQ(names(answer).front(), "gitlab.create_issue");
  EXPECT_TRUE(tool_search::search(index_, {.text = "create_issue", .server = "nobody"}).hits.empty());
}

TEST_F(rank_test, what_is_not_allowed_is_not_found) {
  std::vector<bool> allowed(index_.size(), true);
  for (uint32_t t = 0; t < index_.size(); ++t)
    allowed[t] = index_.name_of(t) != "read_file";
  for (auto text : {"read_file", "read", "read a file"}) {
    auto answer = tool_search::search(index_, {.text = text, .allowed = &allowed});
    EXPECT_FALSE(answer.hits.empty());
    for (auto& name : names(answer))
      EXPECT_NE(name, "disk.read_file") << text;
  }
}

TEST_F(rank_test, the_same_tool_of_several_servers_is_one_hit) {
  auto answer = ask("create issue");
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_EQ(full_name(answer.hits[0].tool), "github.create_issue");
  ASSERT_EQ(answer.hits[0].same.size(), 1U);
  EXPECT_EQ(full_name(answer.hits[0].same[0]), "gitlab.create_issue");
}

TEST_F(rank_test, one_name_for_different_things_is_several_hits) {
  index_.set_server("email", {{"create_issue", "Publishes the monthly newsletter to every subscriber of the list",
                               "subscribers, layout", ""}});
  index_.build();
  auto found = names(ask("create_issue"));
  EXPECT_EQ(std::count(found.begin(), found.end(), "email.create_issue"), 1);
}

TEST_F(rank_test, every_sentence_finds_its_tool) {
  auto found = names(tool_search::search(
    index_, {.text = "Move the file 'a.txt' somewhere. Then tell me the weather in Rome.", .limit = 2}));
  EXPECT_EQ(std::count(found.begin(), found.end(), "disk.move_file"), 1);
  EXPECT_EQ(std::count(found.begin(), found.end(), "weather.get_forecast"), 1);
}

TEST_F(rank_test, says_when_nothing_fits) {
  EXPECT_EQ(ask("").best, fit::nothing);
  EXPECT_EQ(ask("the of and").best, fit::nothing);
  EXPECT_EQ(ask("zzzzzz qqqqqq").best, fit::nothing);
  EXPECT_TRUE(ask("zzzzzz qqqqqq").hits.empty());
  EXPECT_EQ(ask("knit woollen socks with seven needles in a city").best, fit::poor);
  EXPECT_EQ(ask("move a file").best, fit::good);
  EXPECT_EQ(ask("create_iss").best, fit::good);
}

TEST_F(rank_test, gives_as_many_as_wanted) {
  EXPECT_EQ(tool_search::search(index_, {.text = "file", .limit = 1}).hits.size(), 1U);
  auto all = tool_search::search(index_, {.text = "file", .limit = 0});
  EXPECT_GT(all.hits.size(), 1U);
  EXPECT_EQ(tool_search::search(index_, {.text = "file", .limit = 1}).matching, all.matching);
}

TEST_F(rank_test, an_empty_index_finds_nothing) {
  tool_search::search_index empty;
  empty.build();
  EXPECT_EQ(tool_search::search(empty, {.text = "read file"}).best, fit::nothing);
}

} // namespace tool_search_rank_test
