#include "actors/resilience/demand.hpp"

#include <gtest/gtest.h>

namespace resilience_demand_test {

using namespace std::literals;
using resilience::demand;

struct demand_test : testing::Test {
  demand::time_point now{1h};
  demand wanted{1, 4, 60s};

  void arrive(int count, std::chrono::milliseconds apart = 0ms) {
    for (int i = 0; i < count; ++i, now += apart)
      wanted.arrived(now);
  }
};

TEST_F(demand_test, one_after_the_other_needs_what_waits_at_rest) {
  arrive(100, 1s);
  EXPECT_EQ(wanted.level(now), 1u);
  EXPECT_EQ(wanted.sinks_at(), demand::time_point::max());
}

TEST_F(demand_test, those_that_come_within_the_time_of_a_start_need_one_each) {
  arrive(3);
  EXPECT_EQ(wanted.level(now), 3u);
}

TEST_F(demand_test, is_bounded) {
  arrive(10'000);
  EXPECT_EQ(wanted.level(now), 4u);
}

TEST_F(demand_test, follows_the_measured_time_of_a_start) {
  for (int i = 0; i < 50; ++i)
    wanted.made(10ms);
  arrive(10, 20ms);
  EXPECT_EQ(wanted.level(now), 1u) << "each finds what was made after the one before";
  for (int i = 0; i < 50; ++i)
    wanted.made(50ms);
  arrive(10, 20ms);
  EXPECT_EQ(wanted.level(now), 3u);
}

TEST_F(demand_test, a_start_on_a_machine_that_stood_still_counts_a_second_at_most) {
  for (int i = 0; i < 50; ++i)
    wanted.made(1h);
  arrive(4, 990ms);
  EXPECT_EQ(wanted.level(now), 2u);
}

TEST_F(demand_test, sinks_one_by_one_when_less_would_have_done) {
  arrive(4);
  for (size_t level : {4u, 3u, 2u}) {
    EXPECT_EQ(wanted.level(now + 59s), level);
    now += 60s;
    EXPECT_EQ(wanted.level(now), level - 1);
  }
  EXPECT_EQ(wanted.sinks_at(), demand::time_point::max());
}

TEST_F(demand_test, stays_while_as_many_come) {
  for (int i = 0; i < 5; ++i, now += 50s)
    arrive(3);
  EXPECT_EQ(wanted.level(now), 3u);
  EXPECT_EQ(wanted.sinks_at(), now + 10s);
}

TEST_F(demand_test, of_nothing_is_nothing) {
  demand none{0, 0, 60s};
  none.arrived(now);
  EXPECT_EQ(none.level(now), 0u);
}

} // namespace resilience_demand_test
