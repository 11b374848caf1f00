#include "actors/child/restart_policy.hpp"

#include "messages/limits.hpp"

#include <gtest/gtest.h>

namespace child_restart_policy_test {

using namespace std::literals;
namespace limits = msg::limits;
using child::restart_policy;
using msg::errc;

struct restart_policy_test : testing::Test {
  restart_policy::time_point now{1h};
  restart_policy policy{"kid", {{100, 1min, 30s}, 3}, 1};

  bool says(const msg::fault& why, std::string_view text) { return why.message.find(text) != std::string::npos; }
};

TEST_F(restart_policy_test, one_that_has_never_failed_may_be_started_and_called) {
  EXPECT_EQ(policy.may_start(now).code, errc::none);
  EXPECT_EQ(policy.may_be_called(now).code, errc::none);
  EXPECT_EQ(policy.retry_after(now), 0ms);
  EXPECT_EQ(policy.last_error(), "");
}

TEST_F(restart_policy_test, one_whose_entry_is_unusable_is_never_started) {
  policy.never("no command");
  auto why = policy.may_start(now);
  EXPECT_EQ(why.code, errc::server_start_failed);
  EXPECT_EQ(why.message, "server 'kid' can not be started: no command");
  EXPECT_EQ(why.server, "kid");
  EXPECT_EQ(policy.last_error(), "no command");
}

TEST_F(restart_policy_test, each_failure_in_a_row_doubles_the_back_off_up_to_its_longest) {
  auto whole = limits::child_backoff_first;
  for (int i = 0; i < 40; ++i) {
    policy.start_failed("no such file", now);
    auto left = policy.back_off_left(now);
    EXPECT_GE(left, whole / 2) << i;
    EXPECT_LE(left, whole) << i;
    now += left;
    EXPECT_EQ(policy.back_off_left(now), 0ms);
    whole = std::min(2 * whole, limits::child_backoff_max);
  }
}

TEST_F(restart_policy_test, servers_that_fail_together_do_not_come_back_together) {
  restart_policy other{"other", {{100, 1min, 30s}, 3}, 2};
  policy.start_failed("x", now);
  other.start_failed("x", now);
  EXPECT_NE(policy.back_off_left(now), other.back_off_left(now));
}

TEST_F(restart_policy_test, meanwhile_is_told_when_and_what_it_failed_with) {
  policy.start_failed("no such file", now);
  auto why = policy.may_start(now);
  EXPECT_EQ(why.code, errc::server_unavailable);
  EXPECT_EQ(std::chrono::milliseconds{why.retry_after_ms}, policy.back_off_left(now) + 1ms) << "in any case after it";
  EXPECT_EQ(why.message, "server 'kid' failed a moment ago and may be tried again in "
                           + std::to_string(why.retry_after_ms) + " ms; it failed with: no such file");
  EXPECT_EQ(policy.may_start(now + std::chrono::milliseconds{why.retry_after_ms}).code, errc::none);
}

TEST_F(restart_policy_test, a_healthy_run_forgives_what_was_before_and_a_short_one_does_not) {
  for (auto [ran, longest] : {std::pair{limits::child_healthy_after, limits::child_backoff_first},
                              std::pair{limits::child_healthy_after - 1ms, 8 * limits::child_backoff_first}}) {
    restart_policy fresh{"kid", {{100, 1min, 30s}, 3}, 1};
    for (int i = 0; i < 3; ++i)
      fresh.start_failed("x", now);
    fresh.became_ready(now);
    EXPECT_EQ(fresh.last_error(), "");
    fresh.died("ended with exit code 3", now + ran);
    EXPECT_GE(fresh.back_off_left(now + ran), longest / 2);
    EXPECT_LE(fresh.back_off_left(now + ran), longest);
    EXPECT_EQ(fresh.last_error(), "ended with exit code 3");
  }
}

TEST_F(restart_policy_test, waits_no_longer_than_somebody_would) {
  EXPECT_FALSE(policy.backs_off_within(1h, now)) << "there is nothing to wait for";
  policy.start_failed("x", now);
  EXPECT_TRUE(policy.backs_off_within(limits::child_backoff_first + 1ms, now));
  EXPECT_FALSE(policy.backs_off_within(policy.back_off_left(now), now));
  EXPECT_FALSE(policy.backs_off_within(0ms, now));
}

TEST_F(restart_policy_test, starts_within_a_minute_are_counted_whoever_was_asked) {
  for (int i = 0; i < 5; ++i) { // the last two of them without asking
    policy.started(now);
    now += 1s;
  }
  auto why = policy.may_start(now);
  EXPECT_EQ(why.code, errc::server_unavailable);
  EXPECT_TRUE(says(why, "was started 3 times within a minute")) << why.message;
  EXPECT_TRUE(says(why, "servers.startsPerMinute")) << why.message;
  EXPECT_EQ(why.retry_after_ms, 57'000u) << "of the last three, the first was 3 s ago";
  EXPECT_EQ(policy.may_start(now + 57s).code, errc::none);
}

TEST_F(restart_policy_test, its_breaker_opens_for_starts_deaths_and_late_calls_alike) {
  restart_policy strict{"kid", {{3, 1min, 30s}, 100}, 1};
  strict.start_failed("a", now);
  strict.died("b", now);
  EXPECT_EQ(strict.breaker(now), msg::breaker_state::closed);
  strict.call_failed("too late", now);
  EXPECT_EQ(strict.breaker(now), msg::breaker_state::open);
  auto why = strict.may_be_called(now);
  EXPECT_EQ(
    why.message,
    "server 'kid' has failed too often (servers.breaker) and is tried again in 30000 ms; it failed with: too late");
  EXPECT_EQ(why.retry_after_ms, 30'000u);
  EXPECT_EQ(strict.retry_after(now), 30s) << "the longer one of breaker and back-off";
  now += 30s;
  EXPECT_EQ(strict.may_be_called(now).code, errc::none);
  EXPECT_EQ(strict.may_be_called(now).code, errc::server_unavailable) << "one is being tried";
  strict.call_withdrawn();
  EXPECT_EQ(strict.may_be_called(now).code, errc::none);
  strict.call_succeeded();
  EXPECT_EQ(strict.breaker(now), msg::breaker_state::closed);
}

TEST_F(restart_policy_test, one_that_wants_a_login_is_asked_again_soon) {
  policy.login_is_wanted("log in", now);
  auto why = policy.may_start(now);
  EXPECT_EQ(why.code, errc::needs_login);
  EXPECT_EQ(why.message, "log in");
  EXPECT_EQ(policy.may_start(now + child::login_pause).code, errc::none);
  EXPECT_EQ(policy.retry_after(now), 0ms) << "it has not failed";
}

TEST_F(restart_policy_test, one_that_has_got_its_login_is_asked_at_once) {
  policy.login_is_wanted("log in", now);
  policy.login_came();
  EXPECT_EQ(policy.may_start(now).code, errc::none);
}

TEST_F(restart_policy_test, asking_for_a_login_again_and_again_is_no_start) {
  for (int i = 0; i < 10; ++i, now += child::login_pause) { // of three a minute
    EXPECT_EQ(policy.may_start(now).code, errc::none) << i;
    policy.started(now);
    policy.login_is_wanted("log in", now);
  }
}

} // namespace child_restart_policy_test
