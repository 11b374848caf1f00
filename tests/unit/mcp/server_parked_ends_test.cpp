// Calls of clients of revision 2026-07-28 in the middle of which something is asked: refusals, ends and limits.
#include "tests/unit/mcp/server_parked_fixture.hpp"

#include "messages/limits.hpp"

namespace mcp_server_protocol_test {

class server_parked_ends_test : public server_parked_test {
protected:
  /// The call as it was before goes on with this state.
  void expect_still_parked(const std::string& state) {
    sent_.clear();
    come_back("99", state, R"({"q1":{}})");
    EXPECT_TRUE(sent_.empty());
    EXPECT_EQ(heard_.size(), 1u);
    EXPECT_EQ(protocol_.in_flight(), 1u);
  }
};

// ---- refusals ----------------------------------------------------------------------------------

TEST_F(server_parked_ends_test, what_was_not_given_is_no_state) {
  auto good = parked();
  auto changed = good;
  changed[20] = changed[20] == 'A' ? 'B' : 'A';
  for (auto& wrong : {std::string{}, changed, good + "A", good.substr(1), std::string(100'000, 'A')}) {
    sent_.clear();
    come_back("2", wrong, R"({"q1":{}})");
    expect_refused("2", "'requestState' is none that this server has given");
  }
  for (auto* wrong : {"7", "null", "{}", "[\"a\"]"}) {
    send_call("2", std::string{R"(,"inputResponses":{},"requestState":)"} + wrong);
    expect_refused("2", "'requestState' is none that this server has given");
  }
  expect_still_parked(good);
}

TEST_F(server_parked_ends_test, of_another_client_it_is_none) {
  struct other_client : server_parked_test {
    void TestBody() override {}
    using server_parked_test::parked;
  };
  auto of_the_other = other_client{}.parked();
  auto good = parked();
  sent_.clear();
  come_back("2", of_the_other, R"({"q1":{}})");
  expect_refused("2", "none that this server has given to this client");
  expect_still_parked(good);
}

TEST_F(server_parked_ends_test, a_state_is_good_once) {
  auto first = parked();
  come_back("2", first);
  auto second = state();
  sent_.clear();
  come_back("3", first, R"({"q1":{}})");
  expect_refused("3", "'requestState' was used already");
  expect_still_parked(second);
  come_back("4", second, R"({"q1":{}})");
  EXPECT_NE(std::string{sent_.back().at("error").at("message").as_string()}.find("used already"), std::string::npos)
    << "it is in flight";
  protocol_.respond(number_, doc("{}"));
  sent_.clear();
  come_back("5", second, R"({"q1":{}})");
  expect_refused("5", "'requestState' was used already");
}

TEST_F(server_parked_ends_test, a_state_is_of_one_call) {
  auto good = parked();
  for (auto* tool : {R"("name":"u","arguments":{"a":1})", R"("name":"t","arguments":{"a":2})", R"("name":"t")",
                     R"("name":"t{\"a\":1}","arguments":{})"}) {
    sent_.clear();
    send_call("2", with(good, R"({"q1":{}})"), 0, all_capabilities, "", tool);
    expect_refused("2", "of another tool, or with other arguments");
  }
  send_call("2", with(good, R"({"q1":{}})"), 0, all_capabilities, R"(,"code-executor/run":true)");
  expect_refused("2", "of another tool");
  send_call("2", with(good), 0, all_capabilities, "", R"("name":7)");
  expect_refused("2", "'name'");
  send_call("2", with(good), 0, all_capabilities, "", R"("name":"t","arguments":[])");
  expect_refused("2", "'arguments'");
  expect_still_parked(good);
}

TEST_F(server_parked_ends_test, absent_arguments_are_empty_ones) {
  send_call("1", "", 0, all_capabilities, "", R"("name":"t")");
  number_ = calls_.back().number;
  (void)ask(number_, "one");
  auto first = state();
  send_call("2", with(first, R"({"q1":{}})"), 0, all_capabilities, "", R"("name":"t","arguments":{})");
  EXPECT_EQ(heard_.size(), 1u);
}

TEST_F(server_parked_ends_test, answers_are_an_object_with_a_state) {
  auto good = parked();
  for (auto* wrong : {"7", "null", "[]", "\"q1\""}) {
    sent_.clear();
    send_call("2", R"(,"requestState":")" + good + R"(","inputResponses":)" + wrong);
    expect_refused("2", "'inputResponses' must be an object, not ");
  }
  send_call("2", R"(,"inputResponses":{"q1":{}})");
  expect_refused("2", "'inputResponses' without 'requestState'");
  expect_still_parked(good);
}

TEST_F(server_parked_ends_test, a_state_expires) {
  auto good = parked();
  now_ += mcp::parked_request_max - milliseconds{1};
  come_back("2", good);
  good = state();
  sent_.clear();
  now_ += mcp::parked_request_max;
  come_back("3", good, R"({"q1":{}})");
  expect_refused("3", "'requestState' has expired: answers are waited for 10 minutes");
  EXPECT_TRUE(heard_.empty());
}

TEST_F(server_parked_ends_test, an_id_in_use_can_not_be_taken) {
  auto good = parked();
  (void)begin("7");
  sent_.clear();
  come_back("7", good, R"({"q1":{}})");
  expect_error(code::invalid_request, "7", "in use");
  sent_.clear();
  come_back("8", good, R"({"q1":{}})");
  EXPECT_EQ(heard_.size(), 1u);
}

// ---- the end while the client is away ----------------------------------------------------------

TEST_F(server_parked_ends_test, a_result_waits_for_the_client) {
  auto good = parked();
  protocol_.respond(number_, doc(R"({"content":[1]})"));
  protocol_.respond(number_, doc(R"({"content":[2]})"));
  EXPECT_EQ(sent_.size(), 1u);
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_EQ(heard_[0].code, msg::errc::cancelled);
  EXPECT_EQ(ask(number_, "more"), 0u);
  sent_.clear();
  come_back("2", good, R"({"q1":{}})", 4);
  EXPECT_EQ(sent_.at(0), value(R"({"jsonrpc":"2.0","id":2,"result":{"content":[1]}})"));
  EXPECT_EQ(ways_.back(), (way{4, kind::answer}));
  EXPECT_EQ(heard_.size(), 1u);
  sent_.clear();
  come_back("3", good);
  expect_refused("3", "used already");
}

TEST_F(server_parked_ends_test, an_error_waits_for_the_client) {
  auto good = parked();
  protocol_.respond_error(number_, {code::internal_error, "broken", {}});
  sent_.clear();
  come_back("2", good);
  expect_error(code::internal_error, "2", "broken");
}

TEST_F(server_parked_ends_test, results_without_room_become_an_error) {
  auto first = parked();
  auto one = number_;
  auto second = parked_again("2");
  auto third = parked_again("3");
  auto large = doc("[\"" + std::string(mcp::kept_answers_bytes_max * 2 / 3, 'x') + "\"]");
  protocol_.respond(one, large);
  protocol_.respond(number_ - 1, large);
  protocol_.respond(number_, doc("{}"));
  sent_.clear();
  come_back("4", second);
  expect_error(code::internal_error, "4", "32 MiB are kept; this one had no room");
  come_back("5", third);
  EXPECT_EQ(sent_.at(0).at("result"), value("{}"));
  come_back("6", first);
  EXPECT_TRUE(sent_.back().at("result").is_array());
}

// ---- clients that do not come back -------------------------------------------------------------

TEST_F(server_parked_ends_test, who_does_not_come_back_is_gone) {
  auto first = parked();
  EXPECT_EQ(looks_, std::vector<milliseconds>{mcp::parked_request_max});
  now_ += minutes{4};
  auto second = parked_again("2");
  EXPECT_EQ(looks_.size(), 1u) << "one look at a time";
  now_ += minutes{6} - milliseconds{1};
  protocol_.questions().end_parked();
  EXPECT_TRUE(cancelled_.empty());
  EXPECT_EQ(looks_.back(), milliseconds{1});
  now_ += milliseconds{1};
  protocol_.questions().end_parked();
  EXPECT_EQ(cancelled_, numbers{number_ - 1});
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_EQ(heard_[0].code, msg::errc::cancelled);
  EXPECT_NE(heard_[0].text.find("within 10 minutes"), std::string::npos);
  EXPECT_EQ(looks_.back(), milliseconds{minutes{4}});
  EXPECT_EQ(protocol_.question_count(), 1u);
  sent_.clear();
  protocol_.respond(number_ - 1, doc("{}"));
  come_back("3", first);
  expect_refused("3", "expired");
  now_ += minutes{4};
  protocol_.questions().end_parked();
  EXPECT_EQ(cancelled_.size(), 2u);
  EXPECT_EQ(looks_.size(), 3u) << "nobody is waited for";
  come_back("4", second);
  expect_refused("4", "expired");
}

TEST_F(server_parked_ends_test, who_comes_back_has_its_time_anew) {
  auto first = parked();
  now_ += minutes{9};
  come_back("2", first);
  now_ += minutes{1};
  protocol_.questions().end_parked();
  EXPECT_TRUE(cancelled_.empty());
  EXPECT_EQ(looks_.back(), milliseconds{minutes{9}});
  come_back("3", state(), R"({"q1":{}})");
  now_ += minutes{60};
  protocol_.questions().end_parked();
  EXPECT_TRUE(cancelled_.empty()) << "it is there";
  EXPECT_EQ(looks_.size(), 2u);
}

TEST_F(server_parked_ends_test, a_call_that_is_over_is_dropped_without_a_word) {
  (void)parked();
  protocol_.respond(number_, doc("{}"));
  now_ += mcp::parked_request_max;
  protocol_.questions().end_parked();
  EXPECT_TRUE(cancelled_.empty());
}

TEST_F(server_parked_ends_test, a_stream_that_was_answered_cancels_nothing) {
  auto first = parked(5);
  protocol_.cancel_stream(5);
  EXPECT_TRUE(cancelled_.empty());
  come_back("2", first, R"({"q1":{}})", 6);
  EXPECT_EQ(heard_.size(), 1u);
  protocol_.cancel_stream(6);
  EXPECT_EQ(cancelled_, numbers{number_});
  EXPECT_EQ(ask(number_, "two"), 0u);
}

TEST_F(server_parked_ends_test, on_stdin_only_the_newest_request_can_be_cancelled) {
  auto first = parked();
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_TRUE(cancelled_.empty());
  come_back("2", first, R"({"q1":{}})");
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  EXPECT_EQ(cancelled_, numbers{number_});
}

// ---- limits ------------------------------------------------------------------------------------

TEST_F(server_parked_ends_test, so_many_are_parked_at_once) {
  auto first = parked();
  for (size_t i = 1; i < mcp::parked_requests_max; ++i)
    (void)parked_again(std::to_string(i + 1));
  auto more = begin("1000");
  sent_.clear();
  EXPECT_EQ(ask(more, "too many"), 0u);
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(protocol_.in_flight(), 1u);
  come_back("1001", first, R"({"q1":{}})");
  EXPECT_NE(ask(more, "has room"), 0u);
  EXPECT_EQ(ask(calls_.at(0).number, "first"), 0u) << "whose place is taken";
}

TEST_F(server_parked_ends_test, so_much_is_asked_at_once) {
  (void)parked();
  auto half = "\"" + std::string(mcp::parked_questions_bytes_max / 2, 'x') + "\"";
  EXPECT_NE(ask(number_, "half", sampling, half), 0u);
  EXPECT_EQ(ask(number_, "other half", sampling, half), 0u);
  auto other = begin("2");
  EXPECT_EQ(ask(other, "other half", sampling, half), 0u);
  EXPECT_NE(ask(number_, "small"), 0u);
}

TEST_F(server_parked_ends_test, so_many_questions_are_open) {
  (void)parked();
  while (protocol_.question_count() < mcp::requests_to_client_max)
    ASSERT_NE(ask(number_, "more"), 0u);
  EXPECT_EQ(ask(number_, "too many"), 0u);
}

TEST_F(server_parked_ends_test, a_client_that_does_not_read_is_asked_nothing) {
  number_ = begin("1");
  room_ = 6;
  EXPECT_EQ(ask(number_, "one"), 0u);
  room_ = 7;
  EXPECT_NE(ask(number_, "one"), 0u);
}

TEST_F(server_parked_ends_test, there_is_nobody_to_ask) {
  EXPECT_EQ(ask(1, "never seen"), 0u);
  send_call("1", "", 0, "{}");
  EXPECT_EQ(ask(calls_.back().number, "can nothing"), 0u);
  protocol_.respond(calls_.back().number, doc("{}"));
  EXPECT_EQ(ask(calls_.back().number, "over"), 0u);
  EXPECT_TRUE(heard_.empty());
}

TEST_F(server_parked_ends_test, without_a_clock_nothing_is_asked) {
  for (bool has_clock : {true, false}) {
    auto without = callbacks();
    if (has_clock)
      without.look_again = nullptr;
    else
      without.now = nullptr;
    mcp::server_protocol protocol{{"code-executor", "1.2.3", {}, false}, without};
    protocol.receive(doc(call_text("1")));
    EXPECT_EQ(protocol.ask(calls_.back().number, sampling, doc("{}"), [](const auto&) {}), 0u);
    protocol.receive(doc(call_text("2", with(std::string(mcp::request_state_seal::text_chars, 'A')))));
    EXPECT_EQ(sent_.back().at("error").at("code"), code::invalid_params);
  }
}

} // namespace mcp_server_protocol_test
