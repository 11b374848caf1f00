#include "proxy/sample_requests.hpp"

#include "tests/unit/support/values.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace proxy_sample_requests_test {

msg::outcome<msg::sample_request> parse(std::string_view params) {
  return *proxy::parse_sample("sample", test::object(params));
}

TEST(sample_requests, a_question) {
  auto q = parse(
    R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}],
                     "model":"m","maxTokens":5,"systemPrompt":"","tools":["mcp__x__*"],"stream":true})");
  ASSERT_TRUE(q.ok()) << q.error.message;
  EXPECT_EQ(q.value.messages[0].role, msg::chat_role::system);
  EXPECT_EQ(q.value.messages[1].text, "a\nb");
  EXPECT_EQ(q.value.model, "m");
  EXPECT_EQ(q.value.max_tokens, 5u);
  EXPECT_TRUE(q.value.has_system);
  EXPECT_EQ(q.value.tools, std::vector<std::string>{"mcp__x__*"});
  EXPECT_TRUE(q.value.stream);
}

TEST(sample_requests, what_is_wrong_is_named) {
  struct {
    const char *params, *says;
  } const cases[] = {
    {R"({})", "'messages'"},
    {R"({"messages":[]})", "'messages'"},
    {R"({"messages":"hi"})", "'messages'"},
    {R"({"messages":[5]})", "{role, content}"},
    {R"({"messages":[{"role":"boss","content":"x"}]})", "'role'"},
    {R"({"messages":[{"role":"user"}]})", "'content'"},
    {R"({"messages":[{"role":"user","content":5}]})", "'content'"},
    {R"({"messages":[{"role":"user","content":[{"type":"image"}]}]})", "'content'"},
    {R"({"messages":[{"role":"assistant","content":"x"}]})", "the user's"},
    {R"({"messages":[{"role":"user","content":"x"}],"model":5})", "'model'"},
    {R"({"messages":[{"role":"user","content":"x"}],"maxTokens":0})", "1 to 100000"},
    {R"({"messages":[{"role":"user","content":"x"}],"maxTokens":"5"})", "'maxTokens'"},
    {R"({"messages":[{"role":"user","content":"x"}],"tools":"*"})", "'tools'"},
    {R"({"messages":[{"role":"user","content":"x"}],"tools":[""]})", "'tools'"},
    {R"({"messages":[{"role":"user","content":"x"}],"stream":"yes"})", "'stream'"},
  };
  for (auto& c : cases) {
    auto q = parse(c.params);
    EXPECT_EQ(q.error.code, msg::errc::invalid_argument) << c.params;
    EXPECT_NE(q.error.message.find(c.says), std::string::npos) << c.params << ": " << q.error.message;
  }
}

TEST(sample_requests, texts_are_bounded) {
  auto text = std::string(proxy::prompt_bytes_max / 2 + 1, 'x');
  auto message = R"({"role":"user","content":")" + text + R"("})";
  EXPECT_TRUE(parse(R"({"messages":[)" + message + "]}").ok());
  EXPECT_EQ(parse(R"({"messages":[)" + message + "," + message + "]}").error.code, msg::errc::invalid_argument);
}

TEST(sample_requests, streams) {
  EXPECT_FALSE(proxy::parse_sample("call", test::object("{}")).has_value());
  EXPECT_FALSE(proxy::parse_sample_stream("sample", 1, test::object("{}")).has_value());
  auto next = *proxy::parse_sample_stream("sample_next", 3, test::object(R"({"stream":2})"));
  EXPECT_EQ(next.value.stream, 2u);
  EXPECT_FALSE(next.value.stops);
  EXPECT_TRUE(proxy::parse_sample_stream("sample_stop", 3, test::object(R"({"stream":2})"))->value.stops);
  EXPECT_FALSE(proxy::parse_sample_stream("sample_next", 3, test::object(R"({"stream":"2"})"))->ok());
}

TEST(sample_requests, blocks_are_counted_before_they_are_read) {
  boost::json::array blocks(proxy::prompt_blocks_max + 1, boost::json::object{{"type", "text"}, {"text", ""}});
  auto q = parse(R"({"messages":[{"role":"user","content":)" + boost::json::serialize(blocks) + "}]}");
  EXPECT_EQ(q.error.code, msg::errc::invalid_argument);
  EXPECT_NE(q.error.message.find("10000 blocks"), std::string::npos) << q.error.message;
}

} // namespace proxy_sample_requests_test
