#include "actors/run/deadline.hpp"

#include <gtest/gtest.h>

namespace actors_run_deadline_test {

using namespace std::chrono_literals;
using actors::run::deadline;

constexpr deadline::time_point begun{1h};

TEST(deadline, is_over_after_the_time_of_the_run) {
  deadline time{begun, 5s};
  EXPECT_FALSE(time.is_over(begun + 4'999ms));
  EXPECT_TRUE(time.is_over(begun + 5s));
}

TEST(deadline, begun_anew_makes_the_timers_of_the_one_before_too_early) {
  deadline time{begun, 5s};
  time = {begun + 3s, time.timeout()};
  EXPECT_FALSE(time.is_over(begun + 5s));
  EXPECT_TRUE(time.is_over(begun + 8s));
}

TEST(deadline, leaves_a_margin_before_it_that_is_bounded) {
  EXPECT_EQ(deadline(begun, 5s).patience(), 4s);
  EXPECT_EQ(deadline(begun, 300s).patience(), 295s);
  EXPECT_FALSE(deadline(begun, 5s).is_nearly_over(begun + 3'999ms));
  EXPECT_TRUE(deadline(begun, 5s).is_nearly_over(begun + 4s));
}

TEST(deadline, says_how_long_a_call_waits) {
  deadline time{begun, 5s};
  EXPECT_EQ(time.patience_left_ms(begun + 1s), 3'000u);
  EXPECT_EQ(time.patience_left_ms(begun + 4'500ms), 1u);
  EXPECT_EQ(time.time_to_answer(begun + 1s), 4s + deadline::answer_slack);
  EXPECT_EQ(time.time_to_answer(begun + 9s), deadline::answer_slack);
}

TEST(deadline, does_not_come_while_it_stands_still) {
  deadline time{begun, 5s};
  time.stand_still(begun + 1s);
  EXPECT_FALSE(time.is_over(begun + 60s));
  EXPECT_FALSE(time.is_nearly_over(begun + 60s));
  time.go_on(begun + 61s);
  EXPECT_EQ(time.end(), begun + 65s);
  EXPECT_FALSE(time.is_over(begun + 64s));
  EXPECT_TRUE(time.is_over(begun + 65s));
  EXPECT_TRUE(time.is_nearly_over(begun + 64s));
  EXPECT_EQ(time.patience_left_ms(begun + 61s), 3'000u);
  EXPECT_EQ(time.standstill_left(begun + 61s), deadline::standstill_max - 60s);
  time.stand_still(begun + 61s);
  EXPECT_EQ(time.standstill_left(begun + 71s), deadline::standstill_max - 70s) << "what goes on counts as well";
  time.go_on(begun + 61s + 2 * deadline::standstill_max);
  EXPECT_EQ(time.standstill_left(begun + 62s), 0ms);
}

TEST(deadline, gives_calls_up_whose_server_has_been_starting_most_of_the_time) {
  deadline time{begun, 5s};
  proxy::waiting_call call;
  call.server = "s";
  EXPECT_FALSE(time.gives_up(call, begun + 4s)) << "it runs";
  call.starting_ms = 1'999;
  EXPECT_FALSE(time.gives_up(call, begun + 4s)) << "it may come yet";
  call.starting_ms = 2'000;
  auto why = time.gives_up(call, begun + 4s);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, msg::errc::server_start_failed);
  EXPECT_EQ(why->server, "s");
  EXPECT_EQ(why->message,
            "server 's' has been starting for 2.0 s and has not said yet what it can do; the time of this run is "
            "nearly over (timeoutMs "
            "5000). It goes on starting (servers.startTimeoutMs): call it again in a later run, or ask for more time");
}

} // namespace actors_run_deadline_test
