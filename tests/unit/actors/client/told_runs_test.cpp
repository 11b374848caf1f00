#include "actors/client/told_runs.hpp"

#include "messages/limits.hpp"

#include <gtest/gtest.h>

namespace client_told_runs_test {

using namespace std::literals;
using msg::limits::progress_heartbeat;

struct told_runs_test : testing::Test {
  client::told_runs runs;
  client::told_runs::time_point now{1h};
  static msg::run_progress calls(uint32_t started, uint32_t ended) { return {1, started, ended, "mcp__s__t"}; }
};

TEST_F(told_runs_test, are_told_of_calls_with_a_number_that_rises) {
  runs.begin(1, now);
  auto first = runs.progressed(calls(3, 2), now + 1500ms);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "2 of 3 tool calls done: mcp__s__t");
  EXPECT_EQ(first->seconds, 1.5);
  EXPECT_FALSE(runs.progressed(calls(3, 3), now + 1500ms)) << "the same number again";
  EXPECT_TRUE(runs.progressed(calls(3, 3), now + 1600ms));
}

TEST_F(told_runs_test, hear_after_a_while_that_they_go_on) {
  runs.begin(1, now);
  auto beat = runs.beat(1, now + progress_heartbeat);
  ASSERT_TRUE(beat && beat->said);
  EXPECT_EQ(beat->said->text, "running for 10 s");
  EXPECT_EQ(beat->again, progress_heartbeat);
}

TEST_F(told_runs_test, that_heard_something_meanwhile_are_told_later) {
  runs.begin(1, now);
  (void)runs.progressed(calls(3, 2), now + 4s);
  auto beat = runs.beat(1, now + progress_heartbeat);
  ASSERT_TRUE(beat);
  EXPECT_FALSE(beat->said);
  EXPECT_EQ(beat->again, 4s);
  beat = runs.beat(1, now + progress_heartbeat + 4s);
  ASSERT_TRUE(beat && beat->said);
  EXPECT_EQ(beat->said->text, "running for 14 s; 2 of 3 tool calls done: mcp__s__t");
}

TEST_F(told_runs_test, that_are_over_or_wanted_nothing_hear_nothing) {
  EXPECT_FALSE(runs.progressed(calls(1, 0), now));
  EXPECT_FALSE(runs.beat(1, now));
  runs.begin(1, now);
  runs.end(1);
  EXPECT_FALSE(runs.progressed(calls(1, 0), now + 1s));
  EXPECT_FALSE(runs.beat(1, now + progress_heartbeat));
}

} // namespace client_told_runs_test
