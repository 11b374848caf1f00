#include "mcp/http_session.hpp"

#include "messages/document.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace mcp_http_session_test {

using mcp::http_session;

class http_session_test : public testing::Test {
protected:
  std::string header(const http_session& of, std::string_view name) {
    for (auto& field : of.request(mcp::http_purpose::request, "{}").fields)
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
  EXPECT_EQ(session_.take_head({{"mcp-session-id", "abc"}}), "");
  session_.take_message(answer(R"({"id":1,"method":"ping","result":{"protocolVersion":"1"}})"));
  session_.take_message(answer(R"({"id":"1","result":{"protocolVersion":"2"}})"));
  session_.take_message(answer(R"({"method":"x","result":{"protocolVersion":"3"}})"));
  session_.take_message(answer(R"({"id":1,"result":{"protocolVersion":"2025-06-18"}})"));
  session_.take_message(answer(R"({"id":1,"result":{"protocolVersion":"4"}})"));
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
  session_.take_message(answer(R"({"id":1,"result":{"protocolVersion":"2025-06-18"}})"));
  EXPECT_FALSE(session_.take_second_answer(answer(R"({"id":2,"result":{"protocolVersion":"2025-06-18"}})")));
  EXPECT_EQ(header(session_, "MCP-Protocol-Version"), "2025-06-18");
  EXPECT_TRUE(session_.take_second_answer(answer(R"({"id":1,"result":{"protocolVersion":"2025-06-18"}})")));
  EXPECT_FALSE(session_.take_second_answer(answer(R"({"id":1,"result":{"protocolVersion":"2025-11-25"}})")));
}

TEST_F(http_session_test, ids_that_can_not_be_sent_back_are_told) {
  for (auto& id : {std::string{"a b"}, std::string{"a\r\nX: y"}, std::string{"\xc3\xa4"}}) {
    EXPECT_NE(session_.take_head({{"mcp-session-id", id}}).find("visible ASCII"), std::string::npos) << id;
    EXPECT_FALSE(session_.has_begun());
  }
  EXPECT_NE(session_.take_head({{"mcp-session-id", std::string(5'000, 'a')}}).find("5000 bytes"), std::string::npos);
  EXPECT_FALSE(session_.has_begun());
  EXPECT_EQ(session_.take_head({}), "") << "no session is none that is wrong";
}

TEST_F(http_session_test, a_revision_that_can_not_be_sent_is_none) {
  session_.note_sent("{}", 1);
  session_.take_message(answer(R"({"id":1,"result":{"protocolVersion":"2025\r\nX: y"}})"));
  EXPECT_EQ(header(session_, "MCP-Protocol-Version"), "");
}

TEST_F(http_session_test, messages_go_to_no_other_server) {
  auto url = [this] { return session_.request(mcp::http_purpose::request, "{}").url; };
  EXPECT_TRUE(session_.post_to("/messages?id=1"));
  EXPECT_EQ(url(), "http://h/messages?id=1");
  for (auto& address : {std::string{"http://g/messages"}, std::string{}, std::string{"/a b"}, std::string{"/\xc3\xa4"},
                        "/" + std::string(10'000, 'a')})
    EXPECT_FALSE(session_.post_to(address)) << address;
  EXPECT_EQ(url(), "http://h/messages?id=1");
}

TEST_F(http_session_test, a_redirect_is_of_one_message) {
  EXPECT_EQ(session_.redirected({}, {{"location", "/mcp2"}}), "http://h/mcp2");
  EXPECT_EQ(session_.redirected("http://h/a/b", {{"location", "c"}}), "http://h/a/c");
  EXPECT_EQ(session_.redirected({}, {{"location", "//g/"}}), "");
  EXPECT_EQ(session_.redirected({}, {{"location", "/a b"}}), "");
  EXPECT_EQ(session_.redirected({}, {}), "");
  EXPECT_EQ(session_.request(mcp::http_purpose::request, "{}").url, "http://h/mcp");
}

TEST_F(http_session_test, a_stream_says_where_it_was_cut) {
  auto fields = session_.stream("7").fields;
  EXPECT_EQ(fields.back().name, "Last-Event-ID");
  EXPECT_EQ(fields.back().value, "7");
  EXPECT_NE(session_.stream("").fields.back().name, "Last-Event-ID");
}

TEST_F(http_session_test, knows_what_a_message_answers) {
  using keys = std::vector<uint64_t>;
  EXPECT_EQ(mcp::keys_answered_by(answer(R"({"id":7,"result":{}})")), keys{7});
  EXPECT_EQ(mcp::keys_answered_by(answer(R"([{"id":7.0,"error":{}},{"id":8,"result":{}},{"method":"x"}])")),
            (keys{7, 8}));
  for (auto* text : {R"({"id":7,"method":"ping"})", R"({"id":"7","result":{}})", R"({"id":-7,"result":{}})",
                     R"({"id":7.5,"result":{}})", R"({"id":0,"result":{}})", "7", "[[]]"})
    EXPECT_EQ(mcp::keys_answered_by(answer(text)), keys{}) << text;
}

TEST_F(http_session_test, what_has_labels_is_of_no_session) {
  session_.note_sent("{}", 1);
  session_.take_head({{"mcp-session-id", "abc"}});
  session_.take_message(answer(R"({"id":1,"result":{"protocolVersion":"2025-06-18"}})"));
  session_.authorize("Bearer t");
  mcp::request_labels labels{"tools/call", "gr\u00fc\u00dfe", {{"Mcp-Param-A", "b"}}};
  std::map<std::string, std::string> fields;
  for (auto& field : session_.request(mcp::http_purpose::request, "{}", labels).fields)
    fields.emplace(field.name, field.value);
  EXPECT_EQ(fields["MCP-Protocol-Version"], "2026-07-28");
  EXPECT_EQ(fields["Mcp-Method"], "tools/call");
  EXPECT_TRUE(fields["Mcp-Name"].starts_with("=?base64?")) << fields["Mcp-Name"];
  EXPECT_EQ(fields["Mcp-Param-A"], "b");
  EXPECT_EQ(fields["Authorization"], "Bearer t");
  EXPECT_FALSE(fields.contains("Mcp-Session-Id"));
}

} // namespace mcp_http_session_test
