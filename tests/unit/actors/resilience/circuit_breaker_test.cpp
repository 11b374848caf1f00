#include "actors/resilience/circuit_breaker.hpp"

#include <gtest/gtest.h>

namespace proxy_circuit_breaker_test {

using namespace std::literals;
using msg::breaker_state;
using resilience::circuit_breaker;

struct breaker_test : testing::Test {
  circuit_breaker breaker{{3, 60s, 30s}};
  circuit_breaker::time_point now{};
  void fail(int times) {
    for (int i = 0; i < times; ++i)
      breaker.failed(now);
  }
};

TEST_F(breaker_test, opens_after_so_many_failures_and_closes_after_a_success) {
  fail(2);
  EXPECT_EQ(breaker.state(now), breaker_state::closed);
  EXPECT_EQ(breaker.let_through(now), 0ms);
  fail(1);
  EXPECT_EQ(breaker.state(now), breaker_state::open);
  EXPECT_EQ(breaker.let_through(now), 30s);
  now += 29s;
  EXPECT_EQ(breaker.let_through(now), 1s);
  now += 1s;
  EXPECT_EQ(breaker.state(now), breaker_state::half_open);
  EXPECT_EQ(breaker.let_through(now), 0ms);
  EXPECT_EQ(breaker.let_through(now), 30s) << "one is being tried";
  breaker.succeeded();
  EXPECT_EQ(breaker.state(now), breaker_state::closed);
  fail(2);
  EXPECT_EQ(breaker.state(now), breaker_state::closed) << "earlier failures are forgotten";
}

TEST_F(breaker_test, only_failures_in_the_window_count) {
  fail(2);
  now += 61s;
  fail(2);
  EXPECT_EQ(breaker.state(now), breaker_state::closed);
  now += 59s;
  fail(1);
  EXPECT_EQ(breaker.state(now), breaker_state::open);
}

TEST_F(breaker_test, a_failed_trial_opens_it_for_the_whole_time) {
  fail(3);
  now += 30s;
  EXPECT_EQ(breaker.let_through(now), 0ms);
  fail(1);
  EXPECT_EQ(breaker.let_through(now), 30s);
}

TEST_F(breaker_test, failures_while_it_is_open_do_not_keep_it_open) {
  fail(3);
  now += 20s;
  fail(5);
  now += 10s;
  EXPECT_EQ(breaker.let_through(now), 0ms);
}

TEST_F(breaker_test, a_trial_that_is_withdrawn_or_forgotten_makes_room_for_the_next) {
  fail(3);
  now += 30s;
  EXPECT_EQ(breaker.let_through(now), 0ms);
  breaker.withdraw();
  EXPECT_EQ(breaker.let_through(now), 0ms);
  now += 30s;
  EXPECT_EQ(breaker.let_through(now), 0ms);
}

} // namespace proxy_circuit_breaker_test
