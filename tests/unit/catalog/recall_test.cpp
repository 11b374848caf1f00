#include "testing/folder.hpp"
#include "tests/unit/support/places.hpp"
#include "tests/unit/support/tool_sets.hpp"

#include "tool_search/snapshot.hpp"

#include <gtest/gtest.h>

namespace catalog_recall_test {

// Of each set the whole: what the search is worth must not sink unseen.
TEST(recall, reaches_the_bars_of_all_sets) {
  for (auto& bar : tool_sets::bars) {
    auto set = tool_sets::load(test::source("bench/data/tool-search"), bar.set);
    ASSERT_FALSE(set.queries.empty()) << bar.set;
    auto measured = tool_sets::measure(set);
    EXPECT_GE(measured.among_first, bar.among_first) << bar.set;
    EXPECT_GE(measured.first, bar.first) << bar.set;
  }
}

std::vector<std::pair<std::string, float>> answers(const tool_search::search_index& of, std::string_view question) {
  std::vector<std::pair<std::string, float>> out;
  for (auto& h : tool_search::search(of, {.text = question}).hits)
    out.emplace_back(of.server_of(h.tool) + "." + std::string{of.name_of(h.tool)}, h.score);
  return out;
}

TEST(recall, of_an_index_that_comes_from_disk_is_the_same) {
  test::folder folder;
  auto path = folder.path("x.index");
  auto set = tool_sets::load(test::source("bench/data/tool-search"), "azure");
  auto made = tool_sets::index_of(set);
  ASSERT_EQ(tool_search::save_snapshot(path, made, {}), "");
  auto back = tool_search::load_snapshot(path);
  ASSERT_TRUE(back);
  for (auto& q : set.queries)
    ASSERT_EQ(answers(back->index, q.text), answers(made, q.text)) << q.text;
}

} // namespace catalog_recall_test
