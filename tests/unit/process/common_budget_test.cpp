#include "process/common_budget.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace process_common_budget_test {

struct common_budget_test : testing::Test {
  std::shared_ptr<process::common_budget> budget = std::make_shared<process::common_budget>(100);
  int first_ended = 0, second_ended = 0;
  process::common_budget::part first{budget, [this] { ++first_ended; }};
  std::optional<process::common_budget::part> second{std::in_place, budget, [this] { ++second_ended; }};
};

TEST_F(common_budget_test, as_much_as_there_is_ends_nobody) {
  first.set(60);
  second->set(40);
  first.set(10);
  second->set(90);
  EXPECT_EQ(first_ended + second_ended, 0);
}

TEST_F(common_budget_test, the_one_with_most_is_ended_whoever_asks) {
  first.set(60);
  second->set(41);
  EXPECT_EQ(first_ended, 1);
  EXPECT_EQ(second_ended, 0);
}

TEST_F(common_budget_test, who_has_ended_does_not_count_and_is_not_ended_again) {
  first.set(101);
  first.set(1'000);
  second->set(100);
  EXPECT_EQ(first_ended, 1);
  EXPECT_EQ(second_ended, 0);
}

TEST_F(common_budget_test, who_is_gone_does_not_count) {
  second->set(90);
  second.reset();
  first.set(100);
  EXPECT_EQ(first_ended, 0);
}

TEST_F(common_budget_test, without_one_nothing_is_bounded) {
  process::common_budget::part alone{nullptr, [] { FAIL(); }};
  alone.set(UINT64_MAX);
}

} // namespace process_common_budget_test
