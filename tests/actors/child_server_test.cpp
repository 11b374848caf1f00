#include "tests/actors/child_server_fixture.hpp"

using namespace std::literals;
using namespace testing_support;
namespace limits = msg::limits;
using msg::errc;

TEST_F(child_server_test, is_started_by_the_first_call_and_only_once) {
  EXPECT_TRUE(servers.connections.empty());
  auto first = call("echo"), second = call("echo");
  EXPECT_EQ(servers.connections.size(), 1u);
  EXPECT_EQ(first.count() + second.count(), 0u);
  finish_handshake();
  auto requests = servers.last().take("tools/call");
  ASSERT_EQ(requests.size(), 2u);
  servers.last().answer(requests[1], text_result("two")); // out of order
  servers.last().answer(requests[0], text_result("one"));
  settle();
  EXPECT_NE(first.get().value.envelope.text().find("one"), std::string::npos);
  EXPECT_NE(second.get().value.envelope.text().find("two"), std::string::npos);
}

TEST_F(child_server_test, death_in_mid_call_fails_the_call_at_once) {
  start();
  auto c = call("echo");
  die();
  EXPECT_EQ(c.get().error.code, errc::server_died);
  EXPECT_EQ(c.get().error.server, "kid");
  EXPECT_EQ(c.get().error.tool, "echo");
  EXPECT_NE(c.get().error.message.find("exit code 3"), std::string::npos);
}

TEST_F(child_server_test, calls_within_the_back_off_fail_at_once_and_the_next_one_starts_it_again) {
  start();
  die();
  auto refused = call("echo").get();
  EXPECT_EQ(refused.error.code, errc::server_unavailable);
  EXPECT_GT(refused.error.retry_after_ms, 0u);
  EXPECT_LE(refused.error.retry_after_ms, limits::child_backoff_first.count() + 1);
  EXPECT_EQ(servers.connections.size(), 1u);
  advance(limits::child_backoff_first);
  auto again = call("echo");
  EXPECT_EQ(servers.connections.size(), 2u);
  finish_handshake();
  servers.last().answer(servers.last().take("tools/call").at(0), text_result("back"));
  settle();
  EXPECT_TRUE(again.get().ok());
}

TEST_F(child_server_test, back_off_doubles_and_is_capped_and_jittered) {
  auto patient = options();
  patient.limits.breaker.failures_max = 100;
  serve(entry("kid"), patient);
  auto expected = limits::child_backoff_first;
  for (int i = 0; i < 12; ++i) {
    auto c = call("echo"); // starts it
    ASSERT_EQ(servers.connections.size(), static_cast<size_t>(i + 1));
    die();
    EXPECT_EQ(c.get().error.code, errc::server_start_failed);
    auto refused = call("echo").get();
    ASSERT_EQ(refused.error.code, errc::server_unavailable);
    EXPECT_LE(refused.error.retry_after_ms, expected.count() + 1);
    EXPECT_GE(refused.error.retry_after_ms, expected.count() / 2);
    advance(expected);
    expected = std::min(expected * 2, limits::child_backoff_max);
  }
}

TEST_F(child_server_test, a_long_healthy_run_forgives) {
  for (int i = 0; i < 5; ++i) {
    start();
    advance(limits::child_healthy_after);
    die();
    auto refused = call("echo").get();
    ASSERT_EQ(refused.error.code, errc::server_unavailable);
    EXPECT_LE(refused.error.retry_after_ms, limits::child_backoff_first.count() + 1);
    advance(limits::child_backoff_first);
  }
}

TEST_F(child_server_test, refusal_to_start_is_told_to_every_waiting_caller) {
  servers.refuse_to_start = {errc::server_start_failed, "command 'nope' was not found"};
  auto a = call("echo");
  EXPECT_EQ(a.get().error.code, errc::server_start_failed);
  EXPECT_NE(a.get().error.message.find("nope"), std::string::npos);
  EXPECT_EQ(status().state, msg::server_state::backing_off);
}

TEST_F(child_server_test, a_server_that_takes_not_even_the_first_request_fails_the_call_at_once) {
  servers.never_read = true;
  EXPECT_EQ(call("echo").get().error.code, errc::server_start_failed);
  EXPECT_EQ(status().calls_in_flight, 0u);
}

TEST_F(child_server_test, a_handshake_without_an_answer_ends_in_time) {
  auto c = call("echo");
  advance(limits::child_handshake_timeout - 1ms);
  EXPECT_EQ(c.count(), 0u);
  advance(1ms);
  EXPECT_EQ(c.get().error.code, errc::server_start_failed);
  EXPECT_TRUE(servers.last().killed);
}

TEST_F(child_server_test, text_instead_of_a_handshake_is_quoted) {
  auto c = call("echo");
  servers.last().say_garbage("Usage: kid --help");
  settle();
  advance(limits::child_non_protocol_grace);
  EXPECT_EQ(c.get().error.code, errc::server_start_failed);
  EXPECT_NE(c.get().error.message.find("Usage: kid"), std::string::npos);
}

TEST_F(child_server_test, a_banner_before_a_proper_handshake_does_no_harm) {
  auto c = call("echo");
  servers.last().say_garbage("welcome");
  settle();
  finish_handshake();
  advance(limits::child_non_protocol_grace * 2);
  EXPECT_FALSE(servers.last().killed);
  EXPECT_EQ(c.count(), 0u); // in flight
}

TEST_F(child_server_test, a_broken_message_fails_the_call_it_answers) {
  start();
  auto a = call("echo"), b = call("echo");
  auto requests = servers.last().take("tools/call");
  auto id = json::serialize(requests.at(0).at("id"));
  servers.last().say_garbage("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"con");
  settle();
  EXPECT_EQ(a.get().error.code, errc::protocol_violation);
  EXPECT_EQ(b.count(), 0u);
}

TEST_F(child_server_test, a_line_that_answers_no_call_costs_none) {
  start();
  auto c = call("echo");
  for (auto* line : {"{\"half\":", "[1,", "DEBUG: something", "", "\x01\x02"})
    servers.last().say_garbage(line);
  for (size_t i = 0; i < limits::child_garbage_lines_max * 2; ++i)
    servers.last().say_garbage("noise");
  settle();
  EXPECT_EQ(c.count(), 0u);
  auto how = send<msg::server_start>(server, msg::phase_atom::value, uint64_t{1});
  settle();
  EXPECT_EQ(how.get().printed, "noise");
  EXPECT_EQ(how.get().since_ms, 0u);
  servers.last().answer(servers.last().take("tools/call").at(0), text_result("ok"));
  settle();
  EXPECT_TRUE(c.get().ok());
  how = send<msg::server_start>(server, msg::phase_atom::value, uint64_t{1});
  settle();
  EXPECT_EQ(how.get().printed, "") << "nobody waits any more";
}

TEST_F(child_server_test, tells_since_when_it_has_been_starting) {
  auto c = call("echo");
  advance(3s);
  auto how = send<msg::server_start>(server, msg::phase_atom::value, uint64_t{1});
  settle();
  EXPECT_EQ(how.get().server, "kid");
  EXPECT_EQ(how.get().since_ms, 3'000u);
}

TEST_F(child_server_test, a_queue_that_is_full_refuses_the_call) {
  start();
  servers.last().refuses = true;
  EXPECT_EQ(call("echo").get().error.code, errc::overloaded);
}

TEST_F(child_server_test, cancel_tells_the_server_and_answers_the_caller) {
  start();
  auto c = call("echo");
  self->send(server, msg::cancel_atom::value, msg::call_key{1, last_call});
  settle();
  EXPECT_EQ(c.get().error.code, errc::cancelled);
  EXPECT_EQ(servers.last().take("notifications/cancelled").size(), 1u);
}

TEST_F(child_server_test, progress_goes_to_the_caller) {
  start();
  auto seen = std::make_shared<std::vector<msg::tool_progress>>();
  sys.spawn(
    [](caf::event_based_actor* caller, msg::child_server_actor to, msg::tool_call c,
       std::shared_ptr<std::vector<msg::tool_progress>> log) -> caf::behavior {
      caller->request(to, caf::infinite, msg::call_atom::value, std::move(c))
        .then([=](call_result&) { caller->quit(); }, [=](caf::error&) { caller->quit(); });
      return {[log](msg::progress_atom, const msg::tool_progress& p) { log->push_back(p); },
              [](msg::injected_atom, const msg::injected_fault&) {},
              [](msg::meant_atom, msg::call_key, const msg::tool_info&) {}};
    },
    server, make_call("slow", true), seen);
  settle();
  auto request = servers.last().take("tools/call").at(0);
  auto token = request.at("params").at("_meta").at("progressToken");
  servers.last().say(json::object{{"jsonrpc", "2.0"},
                                  {"method", "notifications/progress"},
                                  {"params", json::object{{"progressToken", token}, {"progress", 1}, {"total", 4}}}});
  servers.last().answer(request, text_result("done"));
  settle();
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_EQ(seen->front().progress, 1.0);
  EXPECT_EQ(seen->front().total, 4.0);
}

TEST_F(child_server_test, a_burst_of_list_changed_reads_the_tools_once) {
  start();
  for (int i = 0; i < 50; ++i)
    servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  settle();
  EXPECT_TRUE(servers.last().take("tools/list").empty());
  advance(limits::child_list_debounce);
  auto lists = servers.last().take("tools/list");
  ASSERT_EQ(lists.size(), 1u);
  servers.last().answer(lists[0], json::object{{"tools", fake_servers::tools({"echo", "fresh"})}});
  settle();
  EXPECT_EQ(ask<tools_result>(server, msg::tools_atom::value).value->size(), 2u);
  advance(1s);
  EXPECT_TRUE(servers.last().take("tools/list").empty());
}

TEST_F(child_server_test, a_change_during_a_listing_is_not_lost) {
  start();
  auto changed = json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}};
  servers.last().say(changed);
  settle();
  advance(limits::child_list_debounce);
  servers.last().say(changed);
  settle();
  advance(1s);
  servers.last().answer(servers.last().take("tools/list").at(0), json::object{{"tools", fake_servers::tools({"old"})}});
  settle();
  advance(limits::child_list_debounce);
  EXPECT_EQ(servers.last().take("tools/list").size(), 1u);
}

TEST_F(child_server_test, stop_is_orderly_and_answered_when_the_process_is_gone) {
  start();
  auto c = call("echo");
  auto stopped = send<bool>(server, msg::stop_atom::value);
  settle();
  EXPECT_TRUE(servers.last().stopped);
  EXPECT_FALSE(servers.last().killed);
  EXPECT_EQ(stopped.count(), 0u);
  EXPECT_EQ(c.get().error.code, errc::shutting_down);
  servers.last().end({errc::server_died, "ended with exit code 0"});
  settle();
  EXPECT_TRUE(stopped.get());
}

TEST_F(child_server_test, what_an_old_connection_reports_is_ignored) {
  start();
  auto old = servers.connections.back();
  die();
  advance(limits::child_backoff_first);
  start();
  caf::anon_send(server, msg::closed_atom::value, old->generation, msg::fault{errc::server_died, "late"});
  settle();
  EXPECT_EQ(status().state, msg::server_state::ready);
}

/// A seeded storm: whatever the order and the moment of death, every call is answered exactly once.
class child_server_storm : public child_server_test, public ::testing::WithParamInterface<int> {};

TEST_P(child_server_storm, every_call_is_answered_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  auto narrow = options();
  narrow.limits = {{3, 5s, 1s}, 5, 300ms, 2};
  auto impatient = entry("kid");
  impatient.call_timeout_ms = GetParam() % 2 == 0 ? 400 : 0;
  serve(impatient, narrow);
  std::vector<pending<bool>> rests;
  std::vector<pending<call_result>> calls;
  std::vector<msg::call_key> keys;
  for (int i = 0; i < 150; ++i) {
    auto* c = servers.connections.empty() ? nullptr : &servers.last();
    if (c && c->stopped && rng() % 3 == 0)
      c->end({errc::server_died, "was told to"});
    switch (rng() % 10) {
      case 0:
      case 1: {
        auto made = make_call("echo");
        made.key.run = 1 + rng() % 3;
        keys.push_back(made.key);
        calls.push_back(send<call_result>(server, msg::call_atom::value, std::move(made)));
        break;
      }
      case 2:
        if (c)
          fake_servers::answer_handshake(*c, {"echo"});
        break;
      case 3:
        if (c)
          for (auto& request : c->take("tools/call"))
            c->answer(request, text_result("ok"));
        break;
      case 4:
        if (c && rng() % 3 == 0)
          c->end({errc::server_died, "storm"});
        break;
      case 5: sched.advance_time(std::chrono::milliseconds(rng() % 500)); break;
      case 6:
        if (!keys.empty())
          caf::anon_send(server, msg::cancel_atom::value, keys[rng() % keys.size()]);
        if (rng() % 4 == 0)
          caf::anon_send(server, msg::finish_atom::value, 1 + rng() % 3);
        break;
      case 9: rests.push_back(send<bool>(server, msg::stop_if_idle_atom::value)); break;
      case 8:
        if (c)
          c->say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
        break;
      case 7:
        if (c)
          c->say_garbage(rng() % 2 == 0 ? "noise" : "{\"broken\":");
        break;
    }
    if (rng() % 3 == 0)
      settle_shuffled();
  }
  settle_shuffled();
  self->send_exit(server, caf::exit_reason::user_shutdown); // the rest is answered by the end
  settle_shuffled();
  for (auto& c : calls)
    EXPECT_EQ(c.count(), 1u);
  for (auto& r : rests)
    EXPECT_EQ(r.count(), 1u);
}
INSTANTIATE_TEST_SUITE_P(seeds, child_server_storm, ::testing::Range(0, 100));

TEST_F(child_server_test, one_that_has_hung_up_is_not_connected_any_more) {
  start();
  auto open = call("echo");
  auto& c = servers.last();
  caf::anon_send(server, msg::closed_atom::value, c.generation);
  settle();
  EXPECT_EQ(status().state, msg::server_state::stopping);
  auto late = call("echo");
  auto tools = send<tools_result>(server, msg::tools_atom::value);
  settle();
  EXPECT_EQ(c.take("tools/call").size(), 1u) << "nothing more is sent";
  EXPECT_EQ(late.count(), 0u);
  die();
  EXPECT_EQ(open.get().error.code, errc::server_died);
  EXPECT_EQ(late.get().error.code, errc::server_died);
  EXPECT_NE(late.get().error.message.find("exit code 3"), std::string::npos);
  EXPECT_EQ(tools.get().error.code, errc::server_died);
  EXPECT_EQ(status().state, msg::server_state::backing_off);
  advance(1min);
  start();
  EXPECT_EQ(status().state, msg::server_state::ready);
}

TEST_F(child_server_test, what_an_old_connection_says_of_its_end_is_ignored) {
  start();
  die();
  advance(1min);
  start();
  caf::anon_send(server, msg::closed_atom::value, servers.connections.front()->generation);
  settle();
  EXPECT_EQ(status().state, msg::server_state::ready);
}

TEST_F(child_server_test, one_that_hangs_up_while_it_is_stopped_is_stopped) {
  start();
  auto stopped = send<bool>(server, msg::stop_atom::value);
  settle();
  caf::anon_send(server, msg::closed_atom::value, servers.last().generation);
  die();
  EXPECT_TRUE(stopped.get());
  EXPECT_EQ(status().state, msg::server_state::idle);
}
