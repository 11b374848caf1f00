// Several messages in one: a batch.
#include "tests/unit/mcp/server_protocol_fixture.hpp"

namespace mcp_server_protocol_test {

TEST_F(server_protocol_test, batches_are_part_of_one_revision_only) {
  for (auto* revision : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    initialize(revision);
    receive(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
    expect_error(code::invalid_request, "null", "batch");
  }
}

TEST_F(server_protocol_test, batches_before_initialize_are_refused) {
  receive(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
  expect_error(code::invalid_request, "null");
}

TEST_F(server_protocol_test, answers_a_batch_in_one_message) {
  initialize("2025-03-26");
  receive(
    R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},5,{"jsonrpc":"2.0","id":2,"method":"nope"},[]])");
  ASSERT_EQ(sent_.size(), 1u);
  auto& answers = sent_[0].as_array();
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0], value(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  EXPECT_EQ(answers[1].at("error").at("code").as_int64(), code::invalid_request);
  EXPECT_EQ(answers[2].at("error").at("code").as_int64(), code::method_not_found);
  EXPECT_EQ(answers[3].at("error").at("code").as_int64(), code::invalid_request) << "no batches in batches";
}

TEST_F(server_protocol_test, a_batch_waits_for_its_last_call) {
  initialize("2025-03-26");
  receive(
    R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b"}}])");
  ASSERT_EQ(calls_.size(), 2u);
  EXPECT_TRUE(sent_.empty());
  protocol_.respond(calls_[1].number, doc("{}"));
  EXPECT_TRUE(sent_.empty());
  protocol_.respond_error(calls_[0].number, {-1, "m", {}});
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].as_array().size(), 3u);
}

TEST_F(server_protocol_test, what_waits_for_its_batch_takes_room) {
  initialize("2025-03-26");
  room_ = 3u << 20;
  receive(
    R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}])");
  auto two_mib = msg::document{json::value(json::string(2u << 20, 'x'))};
  protocol_.respond(calls_[0].number, two_mib);
  protocol_.respond(call("3"), two_mib);
  expect_error(code::internal_error, "3", "no room");
  protocol_.respond(calls_[1].number, two_mib);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_TRUE(sent_[0].as_array().at(1).as_object().contains("error"));
  protocol_.respond(call("4"), two_mib);
  EXPECT_TRUE(sent_.at(1).as_object().contains("result"));
}

TEST_F(server_protocol_test, the_answers_of_a_batch_are_bounded_together) {
  initialize("2025-03-26");
  receive(
    R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}])");
  auto half = msg::document{json::value(json::string(msg::limits::client_answer_bytes_max / 2 + 1, 'x'))};
  protocol_.respond(calls_[0].number, half);
  protocol_.respond(calls_[1].number, half);
  auto& answers = sent_.at(0).as_array();
  EXPECT_TRUE(answers.at(0).as_object().contains("result"));
  EXPECT_NE(json::serialize(answers.at(1)).find("the answers of the batch have 96 MiB"), std::string::npos);
}

TEST_F(server_protocol_test, a_cancelled_call_does_not_hold_its_batch) {
  initialize("2025-03-26");
  receive(
    R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b"}}])");
  protocol_.respond(calls_[0].number, doc("{}"));
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})");
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].as_array().size(), 1u);
}

TEST_F(server_protocol_test, a_batch_that_cancels_its_own_call_has_nothing_to_say) {
  initialize("2025-03-26");
  receive(
    R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}])");
  EXPECT_EQ(cancelled_.size(), 1u);
  EXPECT_TRUE(sent_.empty());
}

TEST_F(server_protocol_test, a_batch_of_notifications_has_no_answer) {
  initialize("2025-03-26");
  receive(R"([{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":4,"result":{}}])");
  EXPECT_TRUE(sent_.empty());
}

TEST_F(server_protocol_test, batches_are_bounded) {
  initialize("2025-03-26");
  receive("[]");
  expect_error(code::invalid_request, "null");
  auto batch_of = [](size_t n) {
    std::string text = "[";
    for (size_t i = 0; i < n; ++i)
      text += (i ? "," : "") + std::string{R"({"jsonrpc":"2.0","id":)"} + std::to_string(i) + R"(,"method":"ping"})";
    return text + "]";
  };
  receive(batch_of(msg::limits::client_batch_max + 1));
  expect_error(code::invalid_request, "null", std::to_string(msg::limits::client_batch_max));
  receive(batch_of(msg::limits::client_batch_max));
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].as_array().size(), msg::limits::client_batch_max);
}

} // namespace mcp_server_protocol_test
