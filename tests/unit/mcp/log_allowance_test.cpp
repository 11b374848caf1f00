#include "mcp/log_allowance.hpp"

#include <gtest/gtest.h>

namespace mcp_log_allowance_test {

using namespace std::literals;

TEST(log_allowance, so_much_is_shown_a_minute) {
  mcp::log_allowance allowance;
  mcp::log_allowance::time_point now{1h};
  size_t bytes = 0, lines = 0;
  std::string last;
  for (int i = 0; i < 100'000; ++i)
    if (auto shown = allowance.shown("answered a request that is not open", now); !shown.empty()) {
      bytes += shown.size();
      last = std::move(shown);
      ++lines;
    }
  EXPECT_GT(lines, 500u);
  EXPECT_LE(bytes, mcp::log_allowance_bytes_max + 100);
  EXPECT_TRUE(last.ends_with("more of it is not shown for a minute")) << last;
  EXPECT_EQ(allowance.shown("late", now + 59s), "");
  EXPECT_EQ(allowance.shown("later", now + 60s), "later");
}

TEST(log_allowance, a_text_that_is_longer_is_cut) {
  mcp::log_allowance allowance;
  auto shown = allowance.shown(std::string(10 * mcp::log_allowance_bytes_max, 'x'), {});
  EXPECT_LT(shown.size(), mcp::log_allowance_bytes_max + 100);
}

} // namespace mcp_log_allowance_test
