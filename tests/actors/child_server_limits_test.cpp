// When a server is not called, how many calls are with it, how long they take, and when it is stopped because no caller
// needs it.
#include "tests/actors/child_server_fixture.hpp"

using namespace std::literals;
using namespace testing_support;
using msg::breaker_state;
using msg::errc;
using msg::server_state;

struct child_server_limits : child_server_test {
  void serve_with(actors::child_limits limits, msg::server_entry e = entry("kid")) {
    auto o = options();
    o.limits = limits;
    serve(std::move(e), o);
  }
  /// Comes up and dies with a call.
  void fail_once() {
    auto c = call("echo");
    finish_handshake();
    die();
    EXPECT_EQ(c.get().error.code, errc::server_died);
    advance(limits_of_backoff());
  }
  static std::chrono::milliseconds limits_of_backoff() { return msg::limits::child_backoff_max; }
  void answer_all() {
    for (auto& request : servers.last().take("tools/call"))
      servers.last().answer(request, text_result("ok"));
    settle();
  }
  size_t sent() { return servers.last().take("tools/call").size(); }
  void end_of_stopped() {
    ASSERT_TRUE(servers.last().stopped);
    servers.last().end({errc::server_died, "was told to"});
    settle();
  }
};

// ---- breaker ---------------------------------------------------------------------------------

TEST_F(child_server_limits, a_server_that_keeps_failing_is_left_alone_then_tried_once) {
  serve_with({{3, 10min, 5min}, 100, 0ms, 10});
  for (int i = 0; i < 3; ++i)
    fail_once();
  EXPECT_EQ(status().breaker, breaker_state::open);
  auto refused = call("echo").get();
  EXPECT_EQ(refused.error.code, errc::server_unavailable);
  EXPECT_NE(refused.error.message.find("servers.breaker"), std::string::npos) << refused.error.message;
  EXPECT_GT(refused.error.retry_after_ms, 200'000u);
  EXPECT_EQ(servers.connections.size(), 3u);

  advance(5min);
  EXPECT_EQ(status().breaker, breaker_state::half_open);
  auto trial = call("echo"), other = call("echo");
  EXPECT_EQ(other.get().error.code, errc::server_unavailable);
  finish_handshake();
  answer_all();
  EXPECT_TRUE(trial.get().ok());
  EXPECT_EQ(status().breaker, breaker_state::closed);
}

TEST_F(child_server_limits, a_failed_trial_opens_it_again) {
  serve_with({{2, 10min, 5min}, 100, 0ms, 10});
  fail_once(), fail_once();
  advance(5min);
  fail_once();
  EXPECT_EQ(status().breaker, breaker_state::open);
}

TEST_F(child_server_limits, a_trial_that_is_cancelled_makes_room_for_the_next) {
  serve_with({{2, 10min, 5min}, 100, 0ms, 10});
  fail_once(), fail_once();
  advance(5min);
  auto trial = call("echo");
  self->send(server, msg::cancel_atom::value, msg::call_key{1, last_call});
  settle();
  EXPECT_EQ(trial.get().error.code, errc::cancelled);
  auto next = call("echo");
  finish_handshake();
  answer_all();
  EXPECT_TRUE(next.get().ok());
}

TEST_F(child_server_limits, what_a_tool_says_is_no_failure_of_the_server) {
  serve_with({{2, 10min, 5min}, 100, 0ms, 10});
  start();
  for (int i = 0; i < 5; ++i) {
    auto c = call("echo");
    for (auto& request : servers.last().take("tools/call"))
      servers.last().say(json::object{
        {"jsonrpc", "2.0"}, {"id", request.at("id")}, {"error", json::object{{"code", -1}, {"message", "no"}}}});
    settle();
    EXPECT_EQ(c.get().error.code, errc::tool_failed);
  }
  EXPECT_EQ(status().breaker, breaker_state::closed);
}

TEST_F(child_server_limits, starts_within_a_minute_are_counted) {
  serve_with({{100, 1s, 1s}, 3, 1s, 10});
  for (int i = 0; i < 3; ++i) {
    start();
    advance(1s);
    end_of_stopped();
  }
  auto refused = call("echo").get();
  EXPECT_EQ(refused.error.code, errc::server_unavailable);
  EXPECT_NE(refused.error.message.find("servers.startsPerMinute"), std::string::npos) << refused.error.message;
  advance(std::chrono::milliseconds{refused.error.retry_after_ms});
  start();
}

TEST_F(child_server_limits, starts_after_a_rest_count_too) {
  serve_with({{100, 1s, 1s}, 3, 1s, 10});
  start();
  for (int i = 0; i < 4; ++i) { // a call comes just when it is stopped: it is not refused, but it is a start
    advance(1s);
    auto c = call("echo");
    end_of_stopped();
    finish_handshake();
    answer_all();
    EXPECT_TRUE(c.get().ok());
  }
  advance(1s);
  end_of_stopped();
  EXPECT_EQ(call("echo").get().error.code, errc::server_unavailable);
  advance(58s); // of the last three starts, which count, two are within the last minute then
  start();
}

TEST_F(child_server_limits, a_call_waits_for_the_end_of_a_back_off_that_it_has_time_for) {
  start();
  die();
  auto patient = make_call("echo"), impatient = make_call("echo");
  patient.patience_ms = 10'000;
  impatient.patience_ms = 10;
  auto waits = send<call_result>(server, msg::call_atom::value, patient),
       refused = send<call_result>(server, msg::call_atom::value, impatient);
  settle();
  EXPECT_EQ(refused.get().error.code, errc::server_unavailable);
  EXPECT_EQ(waits.count(), 0u);
  EXPECT_EQ(servers.connections.size(), 1u) << "it is not started before its time";
  advance(msg::limits::child_backoff_first);
  ASSERT_EQ(servers.connections.size(), 2u);
  finish_handshake();
  answer_all();
  EXPECT_TRUE(waits.get().ok());
}

TEST_F(child_server_limits, a_call_that_waited_for_a_start_that_fails_too_is_answered) {
  start();
  die();
  auto patient = make_call("echo");
  patient.patience_ms = 10'000;
  auto waits = send<call_result>(server, msg::call_atom::value, patient);
  settle();
  advance(msg::limits::child_backoff_first);
  die();
  EXPECT_EQ(waits.get().error.code, errc::server_start_failed);
}

// ---- the time of a call ----------------------------------------------------------------------

TEST_F(child_server_limits, a_call_that_takes_too_long_is_cancelled_at_the_server) {
  auto e = entry("kid");
  e.call_timeout_ms = 1'000;
  serve_with({{2, 10min, 5min}, 100, 0ms, 10}, e);
  start();
  auto first = call("echo");
  advance(600ms);
  auto second = call("echo");
  advance(400ms);
  EXPECT_EQ(first.get().error.code, errc::call_timeout);
  EXPECT_NE(first.get().error.message.find("timeoutMs"), std::string::npos);
  EXPECT_EQ(second.count(), 0u);
  EXPECT_EQ(servers.last().take("notifications/cancelled").size(), 1u);
  answer_all();
  EXPECT_TRUE(second.get().ok());
  EXPECT_EQ(status().breaker, breaker_state::closed);
  (void)call("echo"), (void)call("echo"), (void)call("echo");
  advance(1s);
  EXPECT_EQ(status().breaker, breaker_state::open);
}

TEST_F(child_server_limits, faults_of_one_run_say_nothing_of_the_server_to_others) {
  auto e = entry("kid");
  e.call_timeout_ms = 1'000;
  serve_with({{2, 10min, 5min}, 100, 0ms, 10}, e);
  start();
  std::vector<pending<call_result>> all;
  for (int i = 0; i < 3; ++i) {
    auto made = make_call("echo");
    made.faults = msg::document{json::object{{"rules", json::array{}}}};
    all.push_back(send<call_result>(server, msg::call_atom::value, std::move(made)));
    settle();
  }
  advance(1s);
  for (auto& each : all)
    EXPECT_EQ(each.get().error.code, errc::call_timeout);
  EXPECT_EQ(status().breaker, breaker_state::closed);
  EXPECT_EQ(status().last_error, "");
  auto other = call("echo");
  answer_all();
  EXPECT_TRUE(other.get().ok());
}

// ---- calls at once ---------------------------------------------------------------------------

TEST_F(child_server_limits, a_run_with_many_calls_does_not_starve_another) {
  serve_with({{5, 1s, 1s}, 100, 0ms, 2});
  start();
  std::vector<pending<call_result>> many;
  for (int i = 0; i < 50; ++i)
    many.push_back(call("echo", 1));
  auto other = call("echo", 2);
  EXPECT_EQ(status().calls_in_flight, 51u);
  answer_all(); // the two that are with it; two more are sent
  answer_all();
  EXPECT_EQ(other.count(), 1u);
  for (int i = 0; i < 30; ++i)
    answer_all();
  for (auto& c : many)
    EXPECT_TRUE(c.get().ok());
}

TEST_F(child_server_limits, never_more_calls_at_once_than_its_entry_says) {
  auto e = entry("kid");
  e.calls_max = 3;
  serve_with({}, e);
  start();
  for (int i = 0; i < 10; ++i)
    (void)call("echo");
  EXPECT_EQ(sent(), 3u);
}

TEST_F(child_server_limits, a_waiting_call_can_be_cancelled) {
  serve_with({{5, 1s, 1s}, 100, 0ms, 1});
  start();
  auto first = call("echo"), second = call("echo");
  self->send(server, msg::cancel_atom::value, msg::call_key{1, last_call});
  settle();
  EXPECT_EQ(second.get().error.code, errc::cancelled);
  answer_all();
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(sent(), 0u);
}

// ---- idle servers ----------------------------------------------------------------------------

TEST_F(child_server_limits, an_idle_server_is_stopped_and_comes_back) {
  serve_with({{5, 1s, 1s}, 100, 10min, 10});
  start();
  advance(9min);
  auto c = call("echo");
  answer_all();
  EXPECT_TRUE(c.get().ok());
  advance(9min);
  EXPECT_FALSE(servers.last().stopped) << "it was used 9 minutes ago";
  advance(1min);
  end_of_stopped();
  EXPECT_EQ(status().state, server_state::idle);
  EXPECT_EQ(status().last_error, "");
  auto next = call("echo");
  finish_handshake();
  answer_all();
  EXPECT_TRUE(next.get().ok());
  EXPECT_EQ(servers.connections.size(), 2u);
}

TEST_F(child_server_limits, a_server_with_an_open_call_is_not_idle) {
  serve_with({{5, 1s, 1s}, 100, 1min, 10});
  start();
  auto c = call("echo");
  advance(10min);
  EXPECT_FALSE(servers.last().stopped);
  answer_all();
  EXPECT_TRUE(c.get().ok());
  advance(1min);
  EXPECT_TRUE(servers.last().stopped);
}

TEST_F(child_server_limits, who_comes_while_it_stops_waits_for_the_next_start) {
  serve_with({{5, 1s, 1s}, 100, 1min, 10});
  start();
  advance(1min);
  auto c = call("echo");
  auto tools = send<tools_result>(server, msg::tools_atom::value);
  settle();
  EXPECT_EQ(c.count(), 0u);
  end_of_stopped();
  finish_handshake();
  answer_all();
  EXPECT_TRUE(c.get().ok());
  EXPECT_TRUE(tools.get().ok());
}

TEST_F(child_server_limits, an_eager_server_is_never_idle) {
  auto e = entry("kid");
  e.eager = true;
  serve_with({{5, 1s, 1s}, 100, 1min, 10}, e);
  start();
  advance(1h);
  EXPECT_FALSE(servers.last().stopped);
}

TEST_F(child_server_limits, gives_up_its_slot_only_if_nobody_needs_it) {
  EXPECT_TRUE(ask<bool>(server, msg::stop_if_idle_atom::value)) << "it does not run";
  start();
  auto c = call("echo");
  EXPECT_FALSE(ask<bool>(server, msg::stop_if_idle_atom::value));
  answer_all();
  auto rested = send<bool>(server, msg::stop_if_idle_atom::value);
  settle();
  EXPECT_EQ(rested.count(), 0u) << "before its process has ended";
  end_of_stopped();
  EXPECT_TRUE(rested.get());
}

TEST_F(child_server_limits, a_slot_that_is_wanted_back_is_not_given_up) {
  start();
  auto rested = send<bool>(server, msg::stop_if_idle_atom::value);
  settle();
  auto c = call("echo");
  end_of_stopped();
  EXPECT_FALSE(rested.get());
  finish_handshake();
  answer_all();
  EXPECT_TRUE(c.get().ok());
}
TEST_F(child_server_limits, without_memory_it_ends_and_forgets_nobody) {
  start();
  auto open = call("echo");
  auto tools = send<tools_result>(server, msg::tools_atom::value);
  servers.last().has_no_memory = true;
  auto failing = call("echo");
  EXPECT_EQ(open.count(), 1u);
  EXPECT_FALSE(open.get().ok());
  EXPECT_EQ(failing.count(), 1u) << "the one that it happened to";
  EXPECT_EQ(tools.count(), 1u);
  EXPECT_TRUE(servers.last().killed);
}
