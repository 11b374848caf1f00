// A session and what is too large to show: kept before the answer, and the answer never late.
#include "tests/actors/client_session_fixture.hpp"

using namespace std::literals;
using namespace testing_support;

TEST_F(client_session_test, who_waits_hears_every_ten_seconds_that_it_goes_on) {
  goes_on = true;
  says(
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run-python-code","arguments":{"code":"1"},"_meta":{"progressToken":7}}})");
  advance(limits::progress_heartbeat - 1ms);
  EXPECT_EQ(progress().size(), 0u);
  advance(1ms);
  ASSERT_EQ(progress().size(), 1u);
  EXPECT_EQ(progress()[0].second, "running for 10 s");
  advance(5s);
  caf::anon_send(session, msg::progress_atom::value, msg::run_progress{1, 3, 2, "mcp__s__t"});
  settle();
  ASSERT_EQ(progress().size(), 2u);
  advance(limits::progress_heartbeat);
  ASSERT_EQ(progress().size(), 3u) << "ten seconds after the last word";
  EXPECT_EQ(progress()[2].second, "running for 25 s; 2 of 3 tool calls done: mcp__s__t");
  EXPECT_LT(progress()[0].first, progress()[1].first);
  EXPECT_LT(progress()[1].first, progress()[2].first);
  caf::anon_send(admission, msg::deadline_atom::value, uint64_t{1});
  settle();
  advance(3 * limits::progress_heartbeat);
  EXPECT_EQ(progress().size(), 3u) << "it is answered";
}

TEST_F(client_session_test, who_did_not_ask_hears_nothing) {
  goes_on = true;
  run();
  advance(3 * limits::progress_heartbeat);
  EXPECT_TRUE(answers.empty());
}

TEST_F(client_session_test, runs_of_two_clients_have_different_ids) {
  goes_on = true;
  run();
  auto first = std::exchange(session, connect(2));
  initialize();
  run();
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_NE(ids[0], ids[1]) << "though both are the first request of their client, under the same id";
  says(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(cancelled, std::vector<uint64_t>{ids[1]});
  self->send_exit(std::exchange(session, first), caf::exit_reason::user_shutdown);
}

TEST_F(client_session_test, a_small_report_is_answered_without_the_store) {
  report.output.head = "hi";
  run();
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(structured().at("output"), "hi");
}

TEST_F(client_session_test, the_answer_waits_for_the_handle) {
  report.output.head = std::string(100'000, 'x');
  run();
  ASSERT_EQ(asked.size(), 1u);
  ASSERT_EQ(asked[0].large.size(), 1u);
  EXPECT_EQ(asked[0].large[0].text.head.size(), 100'000u);
  EXPECT_TRUE(answers.empty());
  answer(0, kept_answer{msg::artifact_answer{
              {{asked[0].large[0].handle, msg::artifact_part::output, 0, 100'000, false, 1'700'000'000}}, {}}});
  ASSERT_EQ(answers.size(), 1u);
  auto output = std::string{structured().at("output").as_string()};
  EXPECT_NE(output.find(asked[0].large[0].handle), std::string::npos);
  EXPECT_NE(output.find("until 2023-11-14T22:13:20Z"), std::string::npos);
}

TEST_F(client_session_test, the_answer_waits_for_some_seconds_at_most) {
  report.output.head = std::string(100'000, 'x');
  run();
  advance(limits::outputs_wait_max - 1ms);
  EXPECT_TRUE(answers.empty());
  advance(1ms);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_NE(structured().at("output").as_string().find(asked.at(0).large.at(0).handle), std::string::npos)
    << "it is still being written";
}

TEST_F(client_session_test, after_the_deadline_the_answer_hardly_waits) {
  report.output.head = std::string(100'000, 'x');
  report.status = msg::run_status::timeout;
  report.duration_us = 20'000'500;
  run();
  EXPECT_TRUE(answers.empty());
  advance(limits::outputs_wait_after_deadline);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(structured().at("success"), false);
}

TEST_F(client_session_test, what_was_not_kept_is_told) {
  report.has_result = true;
  report.result = msg::document{json::array(50'000, json::value(7))};
  run();
  answer(0, kept_answer{msg::fault{msg::errc::internal, "the disk is full"}});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(structured().at("result").at("problem"), "it was not kept: the disk is full");
}

TEST_F(client_session_test, at_the_end_an_answer_waits_for_the_store_a_moment) {
  report.output.head = std::string(100'000, 'x');
  run();
  auto stopped = send<bool>(session, msg::stop_atom::value);
  settle();
  EXPECT_EQ(stopped.count(), 0u);
  EXPECT_TRUE(answers.empty());
  answer(0, kept_answer{msg::artifact_answer{
              {{asked.at(0).large.at(0).handle, msg::artifact_part::output, 0, 100'000, false, 0}}, {}}});
  EXPECT_TRUE(stopped.get());
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_NE(structured().at("output").as_string().find(asked[0].large[0].handle), std::string::npos);
}

TEST_F(client_session_test, at_the_end_it_is_answered_without_the_store) { // which drops what it has not begun
  report.output.head = std::string(100'000, 'x');
  run();
  auto stopped = send<bool>(session, msg::stop_atom::value);
  settle();
  advance(50ms); // what the supervisor gives
  EXPECT_TRUE(stopped.get());
  ASSERT_EQ(answers.size(), 1u);
  auto output = std::string{structured().at("output").as_string()};
  EXPECT_TRUE(output.starts_with("xxx"));
  EXPECT_NE(output.find("it was not kept: the server is being stopped"), std::string::npos)
    << output.substr(12'000, 500);
  EXPECT_EQ(output.find("out_"), std::string::npos) << "a promise that nobody keeps";
}

TEST_F(client_session_test, at_the_end_all_that_waits_is_answered) {
  goes_on = true;
  says(
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run-python-code","arguments":{"code":"1"}}})");
  says(
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_python","arguments":{"code":"1","servers":["kid"]}}})");
  says(R"({"jsonrpc":"2.0","id":3,"method":"resources/list"})");
  says(
    R"({"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"code-executor://outputs/out_abcdefghij"}})");
  says(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"list_servers","arguments":{}}})");
  ASSERT_EQ(answers.size(), 0u);
  auto stopped = send<bool>(session, msg::stop_atom::value);
  settle();
  advance(50ms);
  EXPECT_TRUE(stopped.get());
  ASSERT_EQ(answers.size(), 5u);
  for (size_t i = 0; i < answers.size(); ++i)
    EXPECT_EQ(answers[i].at("id"), static_cast<int64_t>(i) + 1);
  found("kid");
  EXPECT_EQ(runs, 1u) << "what is answered does not start any more";
  answer(0, kept_answer{});
  EXPECT_EQ(answers.size(), 5u) << "once";
}

TEST_F(client_session_test, what_is_answered_or_cancelled_does_not_hold_up_the_end) {
  run();
  goes_on = true;
  says(
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run-python-code","arguments":{"code":"1"}}})");
  says(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  auto stopped = send<bool>(session, msg::stop_atom::value);
  settle();
  EXPECT_TRUE(stopped.get());
}

TEST_F(client_session_test, resources_come_from_the_store) {
  says(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].operation, msg::artifact_operation::list);
  answer(0, kept_answer{msg::artifact_answer{{{"out_abcdefghij", {}, 0, 5, false, 0}}, {}}});
  EXPECT_EQ(answers.at(0).at("result").at("resources").as_array().size(), 2u);
  says(
    R"({"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"code-executor://outputs/out_abcdefghij"}})");
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[1].query.handle, "out_abcdefghij");
  answer(1, kept_answer{msg::fault{msg::errc::unknown_handle, "gone"}});
  EXPECT_EQ(answers.at(1).at("error").at("message"), "Unknown resource: code-executor://outputs/out_abcdefghij");
  says(R"({"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"code-executor://outputs/../../etc"}})");
  EXPECT_EQ(asked.size(), 2u) << "the store is not asked for what can not be a handle";
  EXPECT_EQ(answers.at(2).at("error").at("code"), json::value(-32002));
}

TEST_F(client_session_test, a_run_that_is_cancelled_while_its_servers_are_looked_up_never_starts) {
  run_with_server();
  ASSERT_EQ(looking_up.size(), 1u);
  says(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  found("kid");
  EXPECT_EQ(runs, 0u);
  EXPECT_TRUE(answers.empty()) << "nobody waits for an answer";
}

TEST_F(client_session_test, a_run_starts_when_its_servers_are_known_and_can_be_cancelled_then) {
  run_with_server();
  EXPECT_EQ(runs, 0u);
  found("kid");
  EXPECT_EQ(runs, 1u);
  EXPECT_EQ(answers.size(), 1u);
}

/// A seeded storm: whatever comes in whatever order, every request is answered once, but those that were cancelled.
class client_session_storm : public client_session_test, public ::testing::WithParamInterface<int> {};

TEST_P(client_session_storm, every_request_is_answered_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  goes_on = true;
  uint64_t last = 0;
  std::set<uint64_t> asked, left;
  auto request = [&](std::string_view method, std::string_view params) {
    asked.insert(++last);
    caf::anon_send(session, msg::received_atom::value,
                   msg::document{json::parse(R"({"jsonrpc":"2.0","id":)" + std::to_string(last) + R"(,"method":")"
                                             + std::string{method} + R"(","params":)" + std::string{params} + "}")},
                   uint64_t{0});
  };
  for (int i = 0; i < 80; ++i) {
    switch (rng() % 9) {
      case 0: request("ping", "{}"); break;
      case 1: request("tools/list", "{}"); break;
      case 2: request("no/such/method", "{}"); break;
      case 3: caf::anon_send(admission, msg::deadline_atom::value, uint64_t{1}); break;
      case 4: caf::anon_send(connector, msg::running_atom::value, "kid"s, true); break;
      case 5: {
        auto id = 1 + rng() % (last + 1);
        left.insert(id);
        caf::anon_send(
          session, msg::received_atom::value,
          msg::document{json::parse(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)"
                                    + std::to_string(id) + "}}")},
          uint64_t{0});
        break;
      }
      case 6: sched.advance_time(std::chrono::seconds(rng() % 12)); break;
      case 7: request("tools/call", R"({"name":"run_python","arguments":{"code":"1","servers":["kid"]}})"); break;
      default: request("tools/call", R"({"name":"run-python-code","arguments":{"code":"1"}})");
    }
    if (rng() % 3 != 0)
      settle_shuffled();
  }
  for (int i = 0; i < 10; ++i) {
    found("kid");
    caf::anon_send(admission, msg::deadline_atom::value, uint64_t{1});
    settle();
  }
  std::map<uint64_t, int> counts;
  for (auto& said : answers)
    if (said.contains("id") && !said.contains("method"))
      ++counts[said.at("id").to_number<uint64_t>()];
  for (auto id : asked)
    EXPECT_TRUE(counts[id] == 1 || (left.contains(id) && counts[id] == 0)) << "request " << id << ": " << counts[id];
}
INSTANTIATE_TEST_SUITE_P(seeds, client_session_storm, ::testing::Range(0, 100));

TEST_F(client_session_test, what_there_is_no_memory_for_is_told_and_ends_nothing_else) {
  auto is_told = [this] {
    auto& last = answers.back();
    return last.contains("error")
           && last.at("error").at("message").as_string().find("no memory left") != std::string_view::npos;
  };
  unsendable = 1;
  run();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(is_told()) << json::serialize(answers.back());
  unsendable = 1;
  says(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].at("id"), 2);
  EXPECT_TRUE(is_told()) << json::serialize(answers.back());
  goes_on = true;
  says(
    R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run-python-code","arguments":{"code":"1"},"_meta":{"progressToken":7}}})");
  unsendable = 1;
  advance(limits::progress_heartbeat);
  EXPECT_EQ(unsendable, 0u);
  advance(limits::progress_heartbeat);
  EXPECT_EQ(progress().size(), 1u);
  caf::anon_send(admission, msg::deadline_atom::value, uint64_t{1});
  settle();
  EXPECT_EQ(answers.back().at("id"), 3);
  EXPECT_TRUE(answers.back().contains("result"));
}

TEST_F(client_session_test, a_batch_that_there_is_no_memory_for_is_answered) {
  says(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})");
  answers.clear();
  unsendable = 1;
  says(
    R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run-python-code","arguments":{"code":"1"}}}])");
  EXPECT_EQ(unsendable, 0u);
  says(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  ASSERT_FALSE(answers.empty());
  EXPECT_EQ(answers.back().at("id"), 2);
}
