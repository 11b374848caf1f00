#include "tests/unit/support/places.hpp"
#include "tests/unit/support/tool_sets.hpp"

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

} // namespace catalog_recall_test
