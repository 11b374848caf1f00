#include "sampling/budget.hpp"

#include <gtest/gtest.h>

namespace sampling_budget_test {

using sampling::budget;
using verdict = sampling::budget::verdict;
using wish = sampling::budget::wish;

TEST(budget, reserves_before_and_settles_after) {
  budget b{{10, 1'000}};
  auto first = b.take(100, 500, wish::exact);
  ASSERT_EQ(first.what, verdict::taken);
  EXPECT_EQ(first.tokens, 600u);
  EXPECT_EQ(b.take(100, 500, wish::exact).what, verdict::later) << "what is reserved may come back";
  b.settle(first.tokens, {100, 50, false});
  EXPECT_EQ(b.tokens(), 150u);
  EXPECT_EQ(b.take(100, 500, wish::exact).what, verdict::taken);
  EXPECT_EQ(b.rounds(), 2u);
}

TEST(budget, cuts_an_answer_that_may_be_shorter) {
  budget b{{10, 1'000}};
  b.settle(0, {800, 0, false});
  auto cut = b.take(100, 500, wish::at_most);
  EXPECT_EQ(cut.what, verdict::taken);
  EXPECT_EQ(cut.max_tokens, 100u);
  EXPECT_EQ(b.take(190, 500, wish::at_most).what, verdict::refused) << "no room for any answer";
  EXPECT_EQ(b.take(100, 500, wish::exact).what, verdict::refused);
}

TEST(budget, rounds_end) {
  budget b{{2, 1'000}};
  b.settle(b.take(1, 1, wish::exact).tokens, {});
  b.settle(b.take(1, 1, wish::exact).tokens, {});
  auto refused = b.take(1, 1, wish::exact);
  EXPECT_EQ(refused.what, verdict::refused);
  EXPECT_NE(refused.error.message.find("2/2 rounds used, 0 remaining"), std::string::npos);
}

TEST(budget, a_provider_that_reports_more_than_was_reserved_is_believed) {
  budget b{{10, 1'000}};
  b.settle(b.take(10, 10, wish::exact).tokens, {5'000, 5'000, false});
  EXPECT_EQ(b.tokens_left(), 0u);
  EXPECT_EQ(b.take(1, 1, wish::exact).what, verdict::refused);
}

} // namespace sampling_budget_test
