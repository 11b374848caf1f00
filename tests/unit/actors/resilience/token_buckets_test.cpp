#include "actors/resilience/token_buckets.hpp"

#include <gtest/gtest.h>

namespace proxy_token_buckets_test {

using namespace std::literals;

struct buckets_test : testing::Test {
  resilience::token_buckets buckets{3};
  resilience::token_buckets::time_point now{};
  bool take(const std::string& name, msg::rate_limit limit = {30, 60'000}) {
    if (buckets.wait_for(name, limit, now) > 0ms)
      return false;
    buckets.take(name, limit, now);
    return true;
  }
};

TEST_F(buckets_test, a_bucket_is_full_at_first_and_fills_evenly) {
  for (int i = 0; i < 30; ++i)
    EXPECT_TRUE(take("a")) << i;
  EXPECT_FALSE(take("a"));
  EXPECT_EQ(buckets.wait_for("a", {30, 60'000}, now), 2s);
  now += 1'999ms;
  EXPECT_FALSE(take("a"));
  now += 1ms;
  EXPECT_TRUE(take("a"));
  EXPECT_FALSE(take("a"));
}

TEST_F(buckets_test, waiting_as_long_as_told_always_helps) {
  for (msg::rate_limit limit :
       {msg::rate_limit{7, 60'000}, {3, 1'000}, {1, 86'400'000}, {1'000'000, 1'000}, {13, 997}}) {
    auto name = std::to_string(limit.requests);
    buckets = resilience::token_buckets{3};
    for (int i = 0; i < 2'000; ++i) {
      now += buckets.wait_for(name, limit, now);
      ASSERT_TRUE(take(name, limit)) << limit.requests << " round " << i;
    }
  }
}

TEST_F(buckets_test, never_more_than_the_limit_after_a_long_pause) {
  now += 24h;
  int taken = 0;
  while (take("a"))
    ++taken;
  EXPECT_EQ(taken, 30);
}

TEST_F(buckets_test, names_do_not_share) {
  while (take("a", {1, 60'000})) {
  }
  EXPECT_TRUE(take("b", {1, 60'000}));
}

TEST_F(buckets_test, a_limit_of_zero_is_none) {
  for (int i = 0; i < 1'000; ++i)
    EXPECT_TRUE(take("a", {0, 60'000}));
  EXPECT_EQ(buckets.size(), 0u);
}

TEST_F(buckets_test, their_number_is_bounded_and_the_fullest_go_first) {
  while (take("used", {2, 60'000})) {
  }
  for (int i = 0; i < 100; ++i)
    take("n" + std::to_string(i), {2, 60'000});
  EXPECT_LE(buckets.size(), 3u);
  EXPECT_FALSE(take("used", {2, 60'000}));
}

} // namespace proxy_token_buckets_test
