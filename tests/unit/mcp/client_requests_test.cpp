#include "mcp/client_requests.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_client_requests_test {

using test::doc;

class client_requests_test : public testing::Test {
protected:
  void receive(const std::string& text) {
    auto message = doc(text);
    requests_.receive(message, mcp::classify(message.value()));
  }
  uint64_t ask() {
    return requests_.ask("sampling/createMessage", doc(R"({"a":1})"), 0,
                         [this](auto result) { answers_.push_back(std::move(result)); });
  }

  std::vector<std::string> sent_;
  std::vector<msg::outcome<msg::document>> answers_;
  size_t room_ = 1'000;
  mcp::client_requests requests_{[this](const mcp::outgoing& m) { sent_.push_back(m.text.text()); },
                                 [this] { return room_; }};
};

TEST_F(client_requests_test, are_answered_once) {
  EXPECT_EQ(ask(), 1u);
  EXPECT_EQ(sent_.back(), R"({"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"a":1}})");
  receive(R"({"jsonrpc":"2.0","id":1,"result":{"b":2}})");
  receive(R"({"jsonrpc":"2.0","id":1,"result":{"b":3}})");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].value.text(), R"({"b":2})");
}

TEST_F(client_requests_test, are_not_sent_without_room) {
  room_ = 6;
  EXPECT_EQ(ask(), 0u);
  EXPECT_EQ(requests_.open_count(), 0u);
  EXPECT_TRUE(sent_.empty());
  room_ = 7;
  EXPECT_EQ(ask(), 1u);
}

TEST_F(client_requests_test, an_error_is_told) {
  (void)ask();
  receive(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"User rejected sampling request"}})");
  EXPECT_EQ(answers_.at(0).error.message, "User rejected sampling request (code -1)");
}

TEST_F(client_requests_test, what_answers_nothing_does_no_harm) {
  (void)ask();
  for (auto* id : {"2", "-1", "\"2\"", "\"x\"", "1.5", "18446744073709551615", "null"})
    receive(std::string{R"({"jsonrpc":"2.0","id":)"} + id + R"(,"result":{}})");
  EXPECT_TRUE(answers_.empty());
}

TEST_F(client_requests_test, what_is_meant_as_an_answer_is_told_at_once) {
  (void)ask();
  receive(R"({"jsonrpc":"2.0","id":"1","result":{}})");
  EXPECT_EQ(answers_.at(0).error.code, msg::errc::protocol_violation);
  EXPECT_NE(answers_.at(0).error.message.find("a text"), std::string::npos);
  auto number = ask();
  EXPECT_FALSE(requests_.fail(number + 1, "neither"));
  EXPECT_FALSE(requests_.fail({}, "neither"));
  EXPECT_TRUE(requests_.fail(number, "neither"));
  EXPECT_EQ(answers_.at(1).error.message, "neither");
  EXPECT_FALSE(requests_.fail(number, "neither"));
}

TEST_F(client_requests_test, a_cancelled_one_is_told_and_not_answered) {
  auto number = ask();
  requests_.cancel(number, "no need");
  requests_.cancel(number, "no need");
  EXPECT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_.back(),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no need"}})");
  receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_TRUE(answers_.empty());
}

TEST_F(client_requests_test, are_bounded) {
  for (size_t i = 0; i < mcp::requests_to_client_max; ++i)
    EXPECT_NE(ask(), 0u);
  EXPECT_EQ(ask(), 0u);
}

TEST(client_abilities, are_what_it_declares) {
  EXPECT_FALSE(mcp::read_abilities(nullptr).samples);
  auto none = test::value(R"({"sampling":true})"), plain = test::value(R"({"sampling":{}})"),
       tools = test::value(R"({"sampling":{"tools":{}}})");
  EXPECT_FALSE(mcp::read_abilities(&none).samples);
  EXPECT_TRUE(mcp::read_abilities(&plain).samples);
  EXPECT_FALSE(mcp::read_abilities(&plain).samples_with_tools);
  EXPECT_TRUE(mcp::read_abilities(&tools).samples_with_tools);
}

} // namespace mcp_client_requests_test
