#include "proxy/call_tracker.hpp"

#include "messages/limits.hpp"

#include <gtest/gtest.h>

namespace proxy_call_tracker_test {

using std::chrono::microseconds;
namespace limits = msg::limits;

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
  constexpr auto tools = static_cast<int>(limits::tools_counted_max);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < tools; ++i)
      t.succeeded("tool" + std::to_string(i), microseconds{i});
  auto stats = std::move(t).take();
  ASSERT_EQ(stats.size(), limits::tools_counted_max);
  for (size_t i = 0; i < stats.size(); ++i) {
    EXPECT_EQ(stats[i].name, "tool" + std::to_string(i));
    EXPECT_EQ(stats[i].successes, 3u);
    EXPECT_EQ(stats[i].duration_us, 3 * i);
  }
}

TEST(call_tracker, sums_those_that_have_no_row_of_their_own) {
  proxy::call_tracker t;
  constexpr size_t names = 9'000;
  for (size_t i = 0; i < names; ++i)
    t.failed("mcp__x__made_up" + std::to_string(i), microseconds{2}, "no such tool " + std::to_string(i));
  t.succeeded("mcp__x__made_up0", microseconds{1}); // has its row
  t.succeeded("mcp__x__one_more", microseconds{3});
  auto stats = std::move(t).take();
  ASSERT_EQ(stats.size(), limits::tools_counted_max + 1);
  EXPECT_EQ(stats.front().calls, 2u);
  auto& others = stats.back();
  EXPECT_EQ(others.name, msg::other_tools);
  EXPECT_EQ(others.calls, names - limits::tools_counted_max + 1);
  EXPECT_EQ(others.errors, names - limits::tools_counted_max);
  EXPECT_EQ(others.successes, 1u);
  EXPECT_EQ(others.duration_us, 2 * (names - limits::tools_counted_max) + 3);
  EXPECT_EQ(others.last_error, "no such tool 8999");
}

TEST(call_tracker, is_small_whatever_names_and_errors_are) {
  proxy::call_tracker t;
  std::string long_text(1u << 20, 'x');
  for (size_t i = 0; i < 300; ++i)
    t.failed("tool" + std::to_string(i), microseconds{1}, long_text);
  EXPECT_LT(t.held_bytes(), 2u << 20);
  for (auto& row : std::move(t).take())
    EXPECT_LE(row.last_error.size(), limits::counted_error_bytes_max + 3);
  proxy::call_tracker named;
  named.succeeded(long_text, microseconds{1});
  EXPECT_LE(std::move(named).take().at(0).name.size(), limits::counted_name_bytes_max + 3);
}

} // namespace proxy_call_tracker_test
