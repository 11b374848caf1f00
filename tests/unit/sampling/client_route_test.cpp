#include "sampling/client_route.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace sampling_client_route_test {

using test::doc;

msg::model_request request() {
  msg::model_request r;
  r.model = "claude";
  r.system = "Be brief";
  r.max_tokens = 50;
  r.messages = {{msg::chat_role::user, "hello", {}, {}}};
  return r;
}

TEST(client_route, asks_as_the_protocol_says) {
  EXPECT_EQ(sampling::client_question(request()).text(),
            R"({"messages":[{"role":"user","content":{"type":"text","text":"hello"}}],"maxTokens":50,"includeContext":"none",)"
            R"("modelPreferences":{"hints":[{"name":"claude"}]},"systemPrompt":"Be brief"})");
}

TEST(client_route, offers_tools_and_tells_what_came_of_them) {
  auto r = request();
  r.tools = {{"t", "does it", doc(R"({"type":"object"})")}};
  r.messages.push_back({msg::chat_role::assistant, "", {{"u1", "t", doc(R"({"a":1})"), {}}}, {}});
  r.messages.push_back({msg::chat_role::user, "", {}, {{"u1", "t", "done", false}}});
  auto params = test::value(sampling::client_question(r).text());
  EXPECT_EQ(params.at("tools"), test::value(R"([{"name":"t","description":"does it","inputSchema":{"type":"object"}}])"));
  EXPECT_EQ(params.at("messages").at(1).at("content"), test::value(R"([{"type":"tool_use","id":"u1","name":"t","input":{"a":1}}])"));
  EXPECT_EQ(params.at("messages").at(2).at("content"),
            test::value(R"([{"type":"tool_result","toolUseId":"u1","content":[{"type":"text","text":"done"}],"isError":false}])"));
}

TEST(client_route, takes_one_block_or_several) {
  auto one = sampling::client_answer(doc(R"({"role":"assistant","content":{"type":"text","text":"4"},"model":"m","stopReason":"endTurn"})"));
  ASSERT_TRUE(one.ok()) << one.error.message;
  EXPECT_EQ(one.value.text, "4");
  EXPECT_EQ(one.value.model, "m");
  EXPECT_EQ(one.value.stop, msg::stop_reason::end);
  auto several = sampling::client_answer(
    doc(R"({"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"u","name":"t","input":{"x":1}}],"stopReason":"toolUse"})"));
  ASSERT_TRUE(several.ok());
  EXPECT_EQ(several.value.uses.at(0).input.text(), R"({"x":1})");
  EXPECT_EQ(several.value.stop, msg::stop_reason::tool_use);
}

TEST(client_route, says_what_is_no_answer) {
  for (auto* text :
       {"null", "{}", "[]", R"({"content":5})", R"({"content":[5]})", R"({"content":{"type":"tool_use"}})", R"({"content":{"type":"video"}})"}) {
    auto a = sampling::client_answer(doc(text));
    EXPECT_EQ(a.error.code, msg::errc::model_failed) << text;
  }
}

} // namespace sampling_client_route_test
