#include "actors/child/lifecycle.hpp"

#include <gtest/gtest.h>

namespace child_lifecycle_test {

using namespace std::literals;
using child::lifecycle;
using child::stage;
using msg::server_state;

struct lifecycle_test : testing::Test {
  lifecycle life;
  lifecycle::time_point now{1h};
};

TEST_F(lifecycle_test, goes_from_start_to_end) {
  EXPECT_EQ(life.state(), server_state::idle);
  EXPECT_TRUE(life.is_down());
  EXPECT_EQ(life.start(now), 1u);
  EXPECT_EQ(life.state(), server_state::starting);
  EXPECT_FALSE(life.is_down());
  EXPECT_TRUE(life.has_process());
  life.became_ready();
  EXPECT_EQ(life.state(), server_state::ready);
  life.stops();
  EXPECT_EQ(life.state(), server_state::stopping);
  life.process_ended();
  life.stopped();
  EXPECT_EQ(life.state(), server_state::idle);
  EXPECT_FALSE(life.has_process());
  EXPECT_EQ(life.starts(), 1u);
}

TEST_F(lifecycle_test, tells_for_how_long_it_has_been_starting) {
  EXPECT_EQ(life.starting_for(now), 0ms);
  life.start(now);
  EXPECT_EQ(life.starting_for(now), 1ms) << "0 would say that it is not";
  EXPECT_EQ(life.starting_for(now + 3s), 3s);
  life.became_ready();
  EXPECT_EQ(life.starting_for(now + 3s), 0ms);
}

TEST_F(lifecycle_test, what_the_connection_of_a_failed_start_reports_is_old) {
  auto failed = life.start(now);
  life.start_failed();
  EXPECT_NE(life.connection(), failed);
  EXPECT_EQ(life.state(), server_state::backing_off);
  EXPECT_TRUE(life.is_down());
  EXPECT_TRUE(life.has_process()) << "it has yet to end";
  auto next = life.start(now);
  EXPECT_EQ(life.connection(), next);
  life.process_ended();
  EXPECT_TRUE(life.has_process()) << "the later one";
  EXPECT_EQ(life.starts(), 2u);
}

TEST_F(lifecycle_test, only_what_is_ready_hangs_up) {
  life.hung_up();
  EXPECT_TRUE(life.is(stage::idle));
  life.start(now);
  life.hung_up();
  EXPECT_TRUE(life.is(stage::starting));
  life.became_ready();
  life.hung_up();
  EXPECT_TRUE(life.is(stage::hung_up));
  life.died();
  EXPECT_TRUE(life.is(stage::backing_off));
}

TEST_F(lifecycle_test, all_ways_to_end_are_told_as_stopping_and_none_is_down) {
  for (auto end : {&lifecycle::rests, &lifecycle::stops, &lifecycle::hung_up}) {
    lifecycle one;
    one.start(now);
    one.became_ready();
    (one.*end)();
    EXPECT_EQ(one.state(), server_state::stopping);
    EXPECT_FALSE(one.is_down()) << "who comes is not to start a second process";
  }
}

TEST_F(lifecycle_test, one_that_is_unusable_is_told_as_such) {
  lifecycle never{stage::unusable};
  EXPECT_EQ(never.state(), server_state::unusable);
  EXPECT_TRUE(never.is_down());
}

TEST_F(lifecycle_test, one_that_wants_a_login_may_be_asked_again) {
  life.start(now);
  life.login_is_wanted();
  EXPECT_EQ(life.state(), server_state::needs_login);
  EXPECT_TRUE(life.is_down());
  EXPECT_NE(life.connection(), 1u) << "what the old one reports does not count";
  life.process_ended();
  life.start(now);
  EXPECT_EQ(life.state(), server_state::starting);
}

} // namespace child_lifecycle_test
