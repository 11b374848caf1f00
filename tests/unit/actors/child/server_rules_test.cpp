// The small rules: what an entry says of its server, how long that may be idle, how it is told, and what the record
// hears of it.
#include "actors/child/idle_clock.hpp"
#include "actors/child/server_limits.hpp"
#include "actors/child/server_status.hpp"
#include "actors/child/state_record.hpp"

#include <gtest/gtest.h>

namespace child_server_rules_test {

using namespace std::literals;
using msg::breaker_state;
using msg::server_state;

TEST(child_server_limits_of_entry, what_the_entry_says_counts_more_than_the_settings) {
  child::server_limits of_all;
  of_all.idle = 10min;
  of_all.calls_at_once = 32;
  EXPECT_EQ(child::limits_of({}, of_all).idle, 10min);
  EXPECT_EQ(child::limits_of({}, of_all).calls_at_once, 32u);
  msg::server_entry entry;
  entry.idle_ms = 500;
  entry.calls_max = 2;
  EXPECT_EQ(child::limits_of(entry, of_all).idle, 500ms);
  EXPECT_EQ(child::limits_of(entry, of_all).calls_at_once, 2u);
  entry.eager = true;
  EXPECT_EQ(child::limits_of(entry, of_all).idle, 0ms) << "it is never stopped for being idle";
}

TEST(child_idle_clock, begins_anew_with_each_use) {
  child::idle_clock::time_point now{1h};
  child::idle_clock clock{10min};
  EXPECT_TRUE(clock.is_limited());
  clock.used(now);
  EXPECT_EQ(clock.left(now), 10min);
  EXPECT_EQ(clock.left(now + 9min), 1min);
  clock.used(now + 9min);
  EXPECT_EQ(clock.left(now + 18min + 59s), 1s);
  EXPECT_EQ(clock.left(now + 19min - 1us), 1ms) << "it is not over before its time";
  EXPECT_EQ(clock.left(now + 19min), 0ms);
  EXPECT_EQ(clock.left(now + 1h), 0ms);
  EXPECT_FALSE(child::idle_clock{0ms}.is_limited());
}

TEST(child_state_record, hears_of_what_has_changed_and_why_it_is_bad) {
  child::state_record record{"kid"};
  EXPECT_TRUE(record.changes(server_state::idle, breaker_state::closed, "").empty());
  auto started = record.changes(server_state::starting, breaker_state::closed, "an older error");
  ASSERT_EQ(started.size(), 1u);
  EXPECT_EQ(started[0].kind, msg::audit_kind::server_state);
  EXPECT_EQ(started[0].server, "kid");
  EXPECT_EQ(started[0].state, to_string(server_state::starting));
  EXPECT_TRUE(started[0].success);
  EXPECT_EQ(started[0].error, "");
  EXPECT_TRUE(record.changes(server_state::starting, breaker_state::closed, "").empty());
  auto failed = record.changes(server_state::backing_off, breaker_state::open, "no such file");
  ASSERT_EQ(failed.size(), 2u);
  for (auto& event : failed) {
    EXPECT_FALSE(event.success);
    EXPECT_EQ(event.error, "no such file");
  }
  EXPECT_EQ(failed[1].state, "breaker open");
  EXPECT_TRUE(record.changes(server_state::backing_off, breaker_state::half_open, "").empty())
    << "it does not let calls through yet";
  auto closed = record.changes(server_state::backing_off, breaker_state::closed, "");
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_EQ(closed[0].state, "breaker closed");
  EXPECT_TRUE(closed[0].success);
}

TEST(child_status, tells_when_it_may_be_called_again) {
  child::lifecycle life;
  child::restart_policy restarts{"kid", {{1, 1min, 30s}, 3}, 1};
  child::known_tools tools{nullptr};
  child::lifecycle::time_point now{1h};
  tools.replace({{"kid", "echo", "", {}, {}, "", false}, {"kid", "add", "", {}, {}, "", false}});
  life.start(now);
  life.became_ready();
  auto s = child::status_of("kid", life, restarts, tools, {}, 0, 7, now);
  EXPECT_EQ(s.name, "kid");
  EXPECT_EQ(s.state, server_state::ready);
  EXPECT_EQ(s.tool_count, 2u);
  EXPECT_EQ(s.tools, (std::vector<std::string>{"echo", "add"}));
  EXPECT_EQ(s.calls_in_flight, 7u);
  EXPECT_EQ(s.starts, 1u);
  EXPECT_EQ(s.breaker, breaker_state::closed);
  EXPECT_EQ(s.retry_after_ms, 0u);
  s = child::status_of("kid", life, restarts, tools, "it wants a login", 0, 7, now);
  EXPECT_EQ(s.state, server_state::needs_login);
  EXPECT_EQ(s.last_error, "it wants a login");
  s = child::status_of("kid", life, restarts, tools, {}, 15'000, 7, now);
  EXPECT_EQ(s.state, server_state::ready);
  EXPECT_EQ(s.unread_ms, 15'000u);
  EXPECT_EQ(s.last_error,
            "it has not read its requests for 15.0 s: it is busy, or hangs; if so, end its process, and the next call "
            "starts it again");
  restarts.died("ended", now);
  s = child::status_of("kid", life, restarts, tools, {}, 0, 0, now);
  EXPECT_EQ(s.breaker, breaker_state::open);
  EXPECT_EQ(s.retry_after_ms, 30'000u);
  EXPECT_EQ(s.last_error, "ended");
}

} // namespace child_server_rules_test
