#include "actors/resilience/work_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace actors_resilience_work_line_test {

struct work_line_test : testing::Test {
  std::vector<std::pair<std::string, uint64_t>> begun;
  resilience::work_line<std::string> line{[this](auto& waiting, uint64_t number) {
    std::swap(waiting.front(), *std::min_element(waiting.begin(), waiting.end())); // who begins it may choose
    begun.emplace_back(waiting.front(), number);
  }};
};

TEST_F(work_line_test, one_is_at_work_at_a_time) {
  line.push("b");
  line.push("d");
  line.push("c");
  ASSERT_EQ(begun.size(), 1u);
  EXPECT_EQ(line.take_done(begun[0].second), "b");
  EXPECT_EQ(begun.size(), 1u) << "the answer of the first goes out before";
  line.go_on();
  ASSERT_EQ(begun.size(), 2u);
  EXPECT_EQ(begun[1].first, "c");
}

TEST_F(work_line_test, an_end_that_comes_twice_or_late_is_none) {
  line.push("a");
  auto first = begun[0].second;
  EXPECT_TRUE(line.take_done(first));
  EXPECT_FALSE(line.take_done(first));
  line.push("b");
  EXPECT_FALSE(line.take_done(first));
  EXPECT_EQ(line.take_all().size(), 1u);
  EXPECT_FALSE(line.take_done(begun[1].second)) << "no request waits for it any more";
  line.go_on();
  EXPECT_EQ(begun.size(), 2u);
}

} // namespace actors_resilience_work_line_test
