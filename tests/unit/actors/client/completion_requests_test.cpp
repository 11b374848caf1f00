#include "actors/client/completion_requests.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace client_completion_requests_test {

struct completion_requests_test : testing::Test {
  std::vector<std::string> sent;
  std::vector<msg::outcome<msg::model_answer>> answers;
  size_t room = 100'000;
  mcp::client_requests to_client{[this](const mcp::outgoing& m) { sent.push_back(m.text.text()); },
                                 [this] { return room; }};
  client::completion_requests questions{to_client};

  void ask(uint64_t call) {
    msg::model_request request;
    request.messages.push_back({msg::chat_role::user, "2+2?", {}, {}});
    questions.ask({1, call}, request, 0, [this](auto answer) { answers.push_back(std::move(answer)); });
  }
  void client_says(const std::string& text) {
    auto message = test::doc(text);
    to_client.receive(message, mcp::classify(message.value()));
  }
};

TEST_F(completion_requests_test, are_answered_once) {
  ask(1);
  EXPECT_EQ(test::value(sent.at(0)).at("method"), "sampling/createMessage");
  for (int i = 0; i < 2; ++i)
    client_says(
      R"({"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"4"}}})");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].value.text, "4");
}

TEST_F(completion_requests_test, that_a_person_refused_say_so) {
  ask(1);
  client_says(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}})");
  EXPECT_EQ(answers.at(0).error.code, msg::errc::model_failed);
  EXPECT_NE(answers.at(0).error.message.find("the client did not let its model answer"), std::string::npos);
}

TEST_F(completion_requests_test, that_nobody_waits_for_are_taken_back) {
  ask(1);
  questions.give_up({1, 1});
  EXPECT_EQ(test::value(sent.at(1)).at("method"), "notifications/cancelled");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, msg::errc::cancelled);
  questions.give_up({1, 1});
  client_says(
    R"({"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"4"}}})");
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ(answers.size(), 1u);
}

TEST_F(completion_requests_test, are_not_asked_if_the_client_has_too_many) {
  for (uint64_t call = 1; call <= mcp::requests_to_client_max; ++call)
    ask(call);
  EXPECT_TRUE(answers.empty());
  ask(mcp::requests_to_client_max + 1);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, msg::errc::overloaded);
  EXPECT_NE(answers[0].error.message.find("questions to answer"), std::string::npos);
  EXPECT_EQ(answers[0].value.times_asked, 0u);
}

TEST_F(completion_requests_test, are_not_asked_of_a_client_that_does_not_read) {
  room = 0;
  ask(1);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, msg::errc::overloaded);
  EXPECT_NE(answers[0].error.message.find("has not read"), std::string::npos) << answers[0].error.message;
  EXPECT_TRUE(sent.empty());
}

} // namespace client_completion_requests_test
