#include "proxy/call_tracker.hpp"

#include <gtest/gtest.h>

namespace {

using std::chrono::microseconds;

TEST(call_tracker, counts_each_tool_in_order_of_its_first_end) {
  proxy::call_tracker t;
  t.succeeded("mcp__b__x", microseconds{100});
  t.failed("mcp__a__y", microseconds{50}, "first");
  t.succeeded("mcp__b__x", microseconds{200});
  t.failed("mcp__b__x", microseconds{1}, "no");
  t.failed("mcp__a__y", microseconds{0}, "second");
  t.succeeded("mcp__a__y", microseconds{7});
  auto stats = std::move(t).take();
  ASSERT_EQ(stats.size(), 2u);
  EXPECT_EQ(stats[0].name, "mcp__b__x");
  EXPECT_EQ(stats[0].calls, 3u);
  EXPECT_EQ(stats[0].successes, 2u);
  EXPECT_EQ(stats[0].errors, 1u);
  EXPECT_EQ(stats[0].duration_us, 301u);
  EXPECT_EQ(stats[0].last_error, "no");
  EXPECT_EQ(stats[1].calls, 3u);
  EXPECT_EQ(stats[1].errors, 2u);
  EXPECT_EQ(stats[1].duration_us, 57u);
  EXPECT_EQ(stats[1].last_error, "second");
}

TEST(call_tracker, is_empty_without_calls) { EXPECT_TRUE(proxy::call_tracker{}.take().empty()); }

TEST(call_tracker, keeps_many_tools_apart) {
  proxy::call_tracker t;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 1'000; ++i)
      t.succeeded("tool" + std::to_string(i), microseconds{i});
  auto stats = std::move(t).take();
  ASSERT_EQ(stats.size(), 1'000u);
  for (size_t i = 0; i < stats.size(); ++i) {
    EXPECT_EQ(stats[i].name, "tool" + std::to_string(i));
    EXPECT_EQ(stats[i].successes, 3u);
    EXPECT_EQ(stats[i].duration_us, 3 * i);
  }
}

} // namespace
