#include "mcp/http_session.hpp"

#include "messages/document.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace mcp_http_session_test {

using mcp::http_session;

class http_session_test : public testing::Test {
protected:
  std::string header(const http_session& of, std::string_view name) {
    for (auto& field : of.request(mcp::http_purpose::request, "{}", "").fields)
      if (field.name == name)
        return field.value;
    return {};
  }
  boost::json::value answer(std::string_view text) { return boost::json::parse(text); }
  http_session session_{{"far", "http://h/mcp", {{"X", "y"}}, msg::transport_kind::automatic, {}}};
};

TEST_F(http_session_test, is_what_the_server_says) {
  session_.note_sent(R"({"method":"initialize"})", 1);
  EXPECT_TRUE(session_.begins(1));
  EXPECT_FALSE(session_.begins(2));
  EXPECT_EQ(header(session_, "X"), "y");
  EXPECT_EQ(header(session_, "MCP-Protocol-Version"), "");
  session_.take_head({{"mcp-session-id", "abc"}});
  EXPECT_FALSE(session_.take_answer(answer(R"({"id":1,"method":"ping"})"), 1));
  EXPECT_FALSE(session_.take_answer(answer(R"({"id":"1","result":{}})"), 1));
  EXPECT_TRUE(session_.take_answer(answer(R"({"id":1,"result":{"protocolVersion":"2025-06-18"}})"), 1));
  EXPECT_TRUE(session_.has_begun());
  EXPECT_EQ(header(session_, "Mcp-Session-Id"), "abc");
  EXPECT_EQ(header(session_, "MCP-Protocol-Version"), "2025-06-18");
  session_.forget();
  EXPECT_FALSE(session_.has_begun());
  EXPECT_EQ(session_.number(), 1u);
  EXPECT_FALSE(session_.take_second_answer(answer(R"({"id":1,"error":{}})")));
}

TEST_F(http_session_test, another_one_has_to_be_of_the_same_revision) {
  session_.note_sent("{}", 1);
  EXPECT_TRUE(session_.take_answer(answer(R"({"id":1,"result":{"protocolVersion":"2025-06-18"}})"), 1));
  EXPECT_FALSE(session_.take_second_answer(answer(R"({"id":2,"result":{"protocolVersion":"2025-06-18"}})")));
  EXPECT_EQ(header(session_, "MCP-Protocol-Version"), "2025-06-18");
  EXPECT_TRUE(session_.take_second_answer(answer(R"({"id":1,"result":{"protocolVersion":"2025-06-18"}})")));
  EXPECT_FALSE(session_.take_second_answer(answer(R"({"id":1,"result":{"protocolVersion":"2025-11-25"}})")));
}

TEST_F(http_session_test, ids_and_revisions_that_can_not_be_sent_are_none) {
  session_.note_sent("{}", 1);
  for (auto& id : {std::string{"a b"}, std::string{"a\r\nX: y"}, std::string{"\xc3\xa4"}, std::string(5'000, 'a')}) {
    session_.take_head({{"mcp-session-id", id}});
    EXPECT_FALSE(session_.has_begun());
  }
  EXPECT_TRUE(session_.take_answer(answer(R"({"id":1,"result":{"protocolVersion":"2025\r\nX: y"}})"), 1));
  EXPECT_EQ(header(session_, "MCP-Protocol-Version"), "");
}

TEST_F(http_session_test, messages_go_to_no_other_server) {
  EXPECT_TRUE(session_.post_to("/messages?id=1"));
  EXPECT_EQ(session_.request(mcp::http_purpose::request, "{}", "").url, "http://h/messages?id=1");
  EXPECT_FALSE(session_.post_to("http://g/messages"));
  EXPECT_FALSE(session_.post_to(""));
  EXPECT_FALSE(session_.follow({{"location", "//g/"}}));
  EXPECT_TRUE(session_.follow({{"location", "/mcp2"}}));
  EXPECT_EQ(session_.request(mcp::http_purpose::request, "{}", "").url, "http://h/mcp2");
}

TEST_F(http_session_test, knows_what_cancels_a_request) {
  auto cancelled = [](std::string_view params) {
    return http_session::cancelled_by(R"({"method":"notifications/cancelled","params":)" + std::string{params} + "}");
  };
  EXPECT_EQ(cancelled(R"({"requestId":7})"), 7u);
  EXPECT_EQ(cancelled(R"({"requestId":"7"})"), 0u);
  EXPECT_EQ(cancelled("[]"), 0u);
  EXPECT_EQ(http_session::cancelled_by(R"({"method":"x","params":{"requestId":7,"a":"notifications/cancelled"}})"), 0u);
  EXPECT_EQ(http_session::cancelled_by("notifications/cancelled"), 0u);
}

} // namespace mcp_http_session_test
