#include "sampling/client_route.hpp"

#include "sampling/provider.hpp"
#include "tests/unit/support/values.hpp"

#include <boost/json.hpp>
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
  EXPECT_EQ(
    sampling::client_question(request()).text(),
    R"({"messages":[{"role":"user","content":{"type":"text","text":"hello"}}],"maxTokens":50,"includeContext":"none",)"
    R"("modelPreferences":{"hints":[{"name":"claude"}]},"systemPrompt":"Be brief"})");
}

TEST(client_route, offers_tools_and_tells_what_came_of_them) {
  auto r = request();
  r.tools = {{"t", "does it", doc(R"({"type":"object"})")}};
  r.messages.push_back({msg::chat_role::assistant, "", {{"u1", "t", doc(R"({"a":1})"), {}}}, {}});
  r.messages.push_back({msg::chat_role::user, "", {}, {{"u1", "t", "done", false}}});
  auto params = test::value(sampling::client_question(r).text());
  EXPECT_EQ(params.at("tools"),
            test::value(R"([{"name":"t","description":"does it","inputSchema":{"type":"object"}}])"));
  EXPECT_EQ(params.at("messages").at(1).at("content"),
            test::value(R"([{"type":"tool_use","id":"u1","name":"t","input":{"a":1}}])"));
  EXPECT_EQ(
    params.at("messages").at(2).at("content"),
    test::value(
      R"([{"type":"tool_result","toolUseId":"u1","content":[{"type":"text","text":"done"}],"isError":false}])"));
}

TEST(client_route, takes_one_block_or_several) {
  auto one = sampling::client_answer(
    doc(R"({"role":"assistant","content":{"type":"text","text":"4"},"model":"m","stopReason":"endTurn"})"));
  ASSERT_TRUE(one.ok()) << one.error.message;
  EXPECT_EQ(one.value.text, "4");
  EXPECT_EQ(one.value.model, "m");
  EXPECT_EQ(one.value.stop, msg::stop_reason::end);
  auto several = sampling::client_answer(doc(
    R"({"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"u","name":"t","input":{"x":1}}],"stopReason":"toolUse"})"));
  ASSERT_TRUE(several.ok());
  EXPECT_EQ(several.value.uses.at(0).input.text(), R"({"x":1})");
  EXPECT_EQ(several.value.stop, msg::stop_reason::tool_use);
}

TEST(client_route, says_what_came_instead_of_an_answer) {
  struct {
    const char *given, *says;
  } const cases[] = {
    {"null", "what is no message: null"},
    {"{}", "what is no message: {}"},
    {"[]", "what is no message: []"},
    {R"({"content":5})", R"(what is no message: {"content":5})"},
    {R"({"content":[5]})", "what is no message"},
    {R"({"content":{"type":"video"}})", "what is no message"},
    {R"({"content":{"type":"tool_use"}})", "the use of a tool without its id or name"},
    {R"({"content":{"type":"text","text":5}})", "a text block whose 'text' is 5"},
    {R"({"content":{"type":"text"}})", "a text block without 'text'"},
    {R"({"content":[{"type":"text","text":"a"},{"type":"text","text":null}]})", "a text block without 'text'"},
    {R"({"content":{"type":"image","data":"aGk=","mimeType":"image/png"}})", "an image or a sound, and no text"},
    {R"({"content":[{"type":"audio","data":"aGk=","mimeType":"audio/wav"}]})", "an image or a sound, and no text"},
    {R"({"content":[]})", "a message without content"},
  };
  for (auto& one : cases) {
    auto a = sampling::client_answer(doc(one.given));
    EXPECT_EQ(a.error.code, msg::errc::model_failed) << one.given;
    EXPECT_NE(a.error.message.find("sampling/createMessage with " + std::string{one.says}), std::string::npos)
      << a.error.message;
  }
}

TEST(client_route, an_empty_text_is_a_text_and_an_image_beside_one_is_left_out) {
  EXPECT_TRUE(sampling::client_answer(doc(R"({"content":{"type":"text","text":""}})")).ok());
  auto a = sampling::client_answer(
    doc(R"({"content":[{"type":"image","data":"","mimeType":"image/png"},{"type":"text","text":"a"}]})"));
  EXPECT_EQ(a.value.text, "a");
}

TEST(client_route, what_is_too_large_is_called_so) {
  boost::json::object block{{"type", "text"}, {"text", std::string(sampling::answer_bytes_max + 1, 'a')}};
  auto a = sampling::client_answer(msg::document{boost::json::object{{"content", block}}});
  EXPECT_NE(a.error.message.find("more text than the limit of 4 MiB"), std::string::npos) << a.error.message;
  boost::json::object use{{"type", "tool_use"}, {"id", "i"}, {"name", "n"}};
  a = sampling::client_answer(
    msg::document{boost::json::object{{"content", boost::json::array(sampling::answer_uses_max + 1, use)}}});
  EXPECT_NE(a.error.message.find("the limit of 128"), std::string::npos) << a.error.message;
  a = sampling::client_answer(msg::document{
    boost::json::object{{"content", boost::json::array(20'000, boost::json::object{{"type", "image"}})}}});
  EXPECT_NE(a.error.message.find("blocks"), std::string::npos) << a.error.message;
}

TEST(client_route, what_is_refused_has_cost_what_came) {
  auto usage_of = [](boost::json::value content) {
    auto a = sampling::client_answer(msg::document{boost::json::object{{"content", std::move(content)}}});
    EXPECT_FALSE(a.ok());
    EXPECT_TRUE(a.value.usage.is_estimated);
    EXPECT_TRUE(a.value.text.empty()) << "nobody is to walk through it";
    return a.value.usage.output;
  };
  auto text = [](size_t bytes) { return boost::json::object{{"type", "text"}, {"text", std::string(bytes, 'a')}}; };
  EXPECT_GT(usage_of(text(sampling::answer_bytes_max + 1)), sampling::answer_bytes_max / 4);
  EXPECT_GT(usage_of(boost::json::array(10'001, text(300))), 10'001u * 300 / 4);
  EXPECT_GT(usage_of({text(4'000), text(sampling::answer_bytes_max)}), sampling::answer_bytes_max / 4)
    << "the second block passes the limit";
  EXPECT_GT(usage_of({text(4'000), 5}), 1'000u);
  boost::json::object use{
    {"type", "tool_use"}, {"id", "i"}, {"name", "n"}, {"input", {{"text", std::string(4'000, 'a')}}}};
  EXPECT_GT(usage_of({use, {{"type", "video"}}}), 1'000u) << "uses of tools are among it";
  EXPECT_GT(usage_of({{"type", "video"}, {"words", std::string(4'000, 'a')}}), 1'000u);
  EXPECT_EQ(usage_of({{"type", "image"}, {"data", std::string(4'000, 'a')}}), 0u) << "a picture is no text";
}

TEST(client_route, a_malformed_response_is_no_refusal) {
  auto f = sampling::client_refusal({msg::errc::protocol_violation, "both"});
  EXPECT_EQ(f.code, msg::errc::model_failed);
  EXPECT_EQ(f.message, "the client's answer to sampling/createMessage is malformed: both");
  f = sampling::client_refusal({msg::errc::model_failed, "no"});
  EXPECT_EQ(f.message, "the client did not let its model answer: no");
}

TEST(client_route, a_use_of_a_tool_is_one_whatever_the_reason_is_called) {
  auto a =
    sampling::client_answer(doc(R"({"content":{"type":"tool_use","id":"u","name":"t"},"stopReason":"endTurn"})"));
  EXPECT_EQ(a.value.stop, msg::stop_reason::tool_use);
  a = sampling::client_answer(doc(R"({"content":[{"type":"tool_use","id":"u","name":"t"}],"stopReason":"maxTokens"})"));
  EXPECT_TRUE(a.ok());
  EXPECT_TRUE(a.value.uses.empty());
}

} // namespace sampling_client_route_test
