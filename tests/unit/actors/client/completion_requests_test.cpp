#include "actors/client/completion_requests.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace client_completion_requests_test {

constexpr auto said_four = R"({"role":"assistant","model":"m","content":{"type":"text","text":"4"}})";

/// A client in the middle of whose call its model is asked.
struct completion_requests_test : testing::Test {
  std::vector<std::string> sent;
  std::vector<msg::outcome<msg::model_answer>> answers;
  size_t room = 100'000;
  uint64_t run = 0;
  mcp::server_protocol protocol{{"n", "v", {}, false}, callbacks()};
  client::completion_requests questions{protocol};

  mcp::server_callbacks callbacks() {
    mcp::server_callbacks c;
    c.send = [this](const mcp::outgoing& m) { sent.push_back(m.text.text()); };
    c.call_tool = [this](const mcp::tool_request& r) { run = r.number; };
    c.cancelled = [](mcp::request_number) {};
    c.room = [this] { return room; };
    c.now = [] { return std::chrono::steady_clock::time_point{}; };
    c.look_again = [](std::chrono::milliseconds) {};
    return c;
  }
  void client_says(const std::string& text) { protocol.receive(test::doc(text)); }
  void call() {
    client_says(
      R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}}}})");
    client_says(R"({"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"t"}})");
    sent.clear();
  }
  void call_without_handshake(const std::string& id, const std::string& more = "") {
    client_says(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":"t",)" + more
                + R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                  R"("io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}})");
  }
  void ask(uint64_t call) {
    msg::model_request request;
    request.messages.push_back({msg::chat_role::user, "2+2?", {}, {}});
    questions.ask({run, call}, request, [this](auto answer) { answers.push_back(std::move(answer)); });
  }
  std::string state() const {
    return std::string{test::value(sent.back()).at("result").at("requestState").as_string()};
  }
};

TEST_F(completion_requests_test, are_answered_once) {
  call();
  ask(1);
  EXPECT_EQ(test::value(sent.at(0)).at("method"), "sampling/createMessage");
  for (int i = 0; i < 2; ++i)
    client_says(std::string{R"({"jsonrpc":"2.0","id":1,"result":)"} + said_four + "}");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].value.text, "4");
}

TEST_F(completion_requests_test, that_a_person_refused_say_so) {
  call();
  ask(1);
  client_says(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}})");
  EXPECT_EQ(answers.at(0).error.code, msg::errc::model_failed);
  EXPECT_NE(answers.at(0).error.message.find("the client did not let its model answer"), std::string::npos);
}

TEST_F(completion_requests_test, that_nobody_waits_for_are_taken_back) {
  call();
  ask(1);
  questions.give_up({run, 1});
  EXPECT_EQ(test::value(sent.at(1)).at("method"), "notifications/cancelled");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, msg::errc::cancelled);
  questions.give_up({run, 1});
  client_says(std::string{R"({"jsonrpc":"2.0","id":1,"result":)"} + said_four + "}");
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ(answers.size(), 1u);
}

TEST_F(completion_requests_test, are_not_asked_if_the_client_has_too_many) {
  call();
  for (uint64_t question = 1; question <= mcp::requests_to_client_max; ++question)
    ask(question);
  EXPECT_TRUE(answers.empty());
  ask(mcp::requests_to_client_max + 1);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, msg::errc::overloaded);
  EXPECT_NE(answers[0].error.message.find("questions to answer"), std::string::npos);
  EXPECT_EQ(answers[0].value.times_asked, 0u);
}

TEST_F(completion_requests_test, are_not_asked_of_a_client_that_does_not_read) {
  call();
  room = 0;
  ask(1);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, msg::errc::overloaded);
  EXPECT_NE(answers[0].error.message.find("has not read"), std::string::npos) << answers[0].error.message;
  EXPECT_TRUE(sent.empty());
}

// ---- a client of 2026-07-28 --------------------------------------------------------------------

TEST_F(completion_requests_test, are_answered_by_the_next_call) {
  call_without_handshake("1");
  ask(1);
  auto asked = test::value(sent.at(0)).at("result").at("inputRequests").at("q1");
  EXPECT_EQ(asked.at("method"), "sampling/createMessage");
  EXPECT_EQ(asked.at("params").at("messages").at(0).at("content").at("text"), "2+2?");
  call_without_handshake("2", R"("requestState":")" + state() + R"(","inputResponses":{"q1":)" + said_four + "},");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].value.text, "4");
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(completion_requests_test, that_the_next_call_does_not_answer_well_fail) {
  call_without_handshake("1");
  ask(1);
  call_without_handshake("2", R"("requestState":")" + state() + R"(","inputResponses":{"q1":7},)");
  EXPECT_EQ(answers.at(0).error.code, msg::errc::model_failed);
  EXPECT_NE(answers[0].error.message.find("answer to sampling/createMessage is malformed"), std::string::npos);
}

TEST_F(completion_requests_test, that_were_given_up_are_not_asked_again) {
  call_without_handshake("1");
  ask(1);
  questions.give_up({run, 1});
  EXPECT_EQ(answers.at(0).error.code, msg::errc::cancelled);
  EXPECT_EQ(sent.size(), 1u);
  call_without_handshake("2", R"("requestState":")" + state() + R"(","inputResponses":{"q1":)" + said_four + "},");
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_EQ(protocol.in_flight(), 1u);
}

} // namespace client_completion_requests_test
