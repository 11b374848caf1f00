// Lines of the client that are no message: who hears of them.
#include "mcp/server_protocol.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mcp_server_rejection_test {

namespace json = boost::json;
using test::doc;

class server_rejection_test : public testing::Test {
protected:
  void SetUp() override {
    protocol_.receive(doc(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})"));
    sent_.clear();
  }
  mcp::server_callbacks callbacks() {
    mcp::server_callbacks c;
    c.send = [this](mcp::outgoing m) { sent_.push_back(test::value(m.text.text())); };
    c.list_tools = [](mcp::revision) { return doc(R"({"tools":[]})"); };
    c.call_tool = [this](mcp::tool_request r) { calls_.push_back(r.number); };
    c.cancelled = [](mcp::request_number) {};
    return c;
  }
  /// The id that an error is sent under when that is all that can be told of a line; empty: none is sent.
  std::string answered_id(const std::string& told) {
    sent_.clear();
    protocol_.reject(mcp::rpc_error::parse_error, "Parse error: no", doc(told));
    if (sent_.empty())
      return {};
    EXPECT_EQ(sent_.size(), 1u);
    EXPECT_EQ(sent_.at(0).at("error"), test::value(R"({"code":-32700,"message":"Parse error: no"})"));
    return json::serialize(sent_.at(0).at("id"));
  }

  std::vector<json::value> sent_;
  std::vector<mcp::request_number> calls_;
  mcp::server_protocol protocol_{{"n", "v", {}, false}, callbacks()};
};

TEST_F(server_rejection_test, a_request_hears_it_under_its_id) {
  EXPECT_EQ(answered_id(R"({"id":7,"method":"m"})"), "7");
  EXPECT_EQ(answered_id(R"({"id":"a","method":"m"})"), "\"a\"");
}

TEST_F(server_rejection_test, nobody_is_named_where_the_id_is_not_that_of_a_request) {
  for (auto* told : {"null", R"({"id":7})", R"({"method":"m"})", R"({"id":null,"method":"m"})",
                     R"({"id":1.5,"method":"m"})", R"({"id":true,"method":"m"})"})
    EXPECT_EQ(answered_id(told), "null") << told;
}

TEST_F(server_rejection_test, a_request_in_flight_is_not_answered_for_another_one) {
  protocol_.receive(doc(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{}}})"));
  ASSERT_EQ(calls_.size(), 1u);
  EXPECT_EQ(answered_id(R"({"id":7,"method":"m"})"), "null");
  sent_.clear();
  protocol_.respond(calls_[0], doc("{}"));
  EXPECT_EQ(sent_.at(0), test::value(R"({"jsonrpc":"2.0","id":7,"result":{}})"));
  EXPECT_EQ(answered_id(R"({"id":7,"method":"m"})"), "7");
}

TEST_F(server_rejection_test, a_broken_answer_of_the_client_fails_what_it_answers) {
  std::vector<msg::fault> failed;
  protocol_.receive(doc(R"({"jsonrpc":"2.0","id":100,"method":"tools/call","params":{"name":"t"}})"));
  auto number = protocol_.ask(calls_.at(0), "sampling/createMessage", doc("{}"),
                              [&](const auto& answer) { failed.push_back(answer.error); });
  auto id = std::to_string(number);
  EXPECT_EQ(answered_id("{\"id\":" + id + ",\"method\":\"m\"}"), id) << "a request has ids of its own";
  EXPECT_TRUE(failed.empty());
  EXPECT_EQ(answered_id("{\"id\":" + id + "}"), "") << "nobody waits for an answer to an answer";
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].code, msg::errc::protocol_violation);
  EXPECT_EQ(failed[0].message, "Parse error: no");
  EXPECT_EQ(answered_id("{\"id\":" + id + "}"), "null");
}

} // namespace mcp_server_rejection_test
