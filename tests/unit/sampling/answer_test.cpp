#include "sampling/provider.hpp"

#include "tests/unit/sampling/bodies.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace sampling_answer_test {

using namespace sampling;
namespace json = boost::json;

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// An answer or a fault that says something, never both.
void expect_sense(const msg::outcome<msg::model_answer>& out, const std::string& from) {
  if (!out.ok()) {
    EXPECT_TRUE(out.error.code == msg::errc::model_failed || out.error.code == msg::errc::rate_limited) << from;
    EXPECT_GT(out.error.message.size(), 20u) << from;
    EXPECT_LT(out.error.message.size(), said_bytes_max + 300) << from;
    return;
  }
  for (auto& u : out.value.uses)
    EXPECT_TRUE(u.input.value().is_object() && !u.name.empty() && !u.id.empty()) << from;
  EXPECT_EQ(out.value.stop == msg::stop_reason::tool_use, !out.value.uses.empty()) << from;
}

TEST(answer, of_every_provider) {
  for (auto who : all_providers) {
    auto out = answer_of(who, 200, test::whole_body(who));
    ASSERT_TRUE(out.ok()) << out.error.message;
    auto& a = out.value;
    EXPECT_EQ(a.text, "It is warm.");
    EXPECT_EQ(a.model, "m-1-2026");
    EXPECT_EQ(a.stop, msg::stop_reason::tool_use);
    EXPECT_EQ(a.usage.input, 25u);
    EXPECT_EQ(a.usage.output, 12u);
    EXPECT_FALSE(a.usage.is_estimated);
    ASSERT_EQ(a.uses.size(), 1u);
    EXPECT_EQ(a.uses[0].id, "tool-1");
    EXPECT_EQ(a.uses[0].name, "mcp__weather__now");
    EXPECT_EQ(a.uses[0].input.text(), R"({"city":"Kiel"})");
    EXPECT_EQ(a.uses[0].extra.text(), who == provider::gemini ? R"({"thoughtSignature":"c2ln"})" : "null");
  }
}

TEST(answer, has_a_reason_for_its_end) {
  auto anthropic = [](std::string reason) {
    return R"({"content":[{"type":"text","text":"x"}],"stop_reason":")" + reason + "\"}";
  };
  auto openai = [](std::string reason) {
    return R"({"choices":[{"message":{"content":"x"},"finish_reason":")" + reason + "\"}]}";
  };
  auto gemini = [](std::string reason) {
    return R"({"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":")" + reason + "\"}]}";
  };
  using msg::stop_reason;
  struct {
    provider who;
    std::string body;
    stop_reason stop;
  } const cases[] = {
    {provider::anthropic, anthropic("end_turn"), stop_reason::end},
    {provider::anthropic, anthropic("stop_sequence"), stop_reason::end},
    {provider::anthropic, anthropic("max_tokens"), stop_reason::max_tokens},
    {provider::anthropic, anthropic("model_context_window_exceeded"), stop_reason::max_tokens},
    {provider::anthropic, anthropic("refusal"), stop_reason::refused},
    {provider::anthropic, anthropic("pause_turn"), stop_reason::other},
    {provider::openai, openai("stop"), stop_reason::end},
    {provider::openai, openai("length"), stop_reason::max_tokens},
    {provider::openai, openai("content_filter"), stop_reason::refused},
    {provider::openai, openai("tool_calls"), stop_reason::other}, // but there are none
    {provider::openai, R"({"choices":[{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]})",
     stop_reason::refused},
    {provider::gemini, gemini("STOP"), stop_reason::end},
    {provider::gemini, gemini("MAX_TOKENS"), stop_reason::max_tokens},
    {provider::gemini, gemini("SAFETY"), stop_reason::refused},
    {provider::gemini, gemini("MALFORMED_FUNCTION_CALL"), stop_reason::other},
  };
  for (auto& c : cases) {
    auto out = answer_of(c.who, 200, c.body);
    ASSERT_TRUE(out.ok()) << c.body << out.error.message;
    EXPECT_EQ(out.value.stop, c.stop) << c.body;
  }
}

std::string openai_body(const std::string& message, const std::string& reason = "stop") {
  return R"({"choices":[{"message":)" + message + R"(,"finish_reason":")" + reason
         + R"("}],"usage":{"prompt_tokens":9,"completion_tokens":70}})";
}

TEST(answer, of_parts_has_the_texts_of_them) {
  struct {
    std::string content, text;
  } const cases[] = {
    {R"([{"type":"text","text":"p1"},{"type":"text","text":" p2"}])", "p1 p2"},
    {R"([{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"42"}])", "42"},
    {R"([{"type":"refusal","refusal":"I will not."}])", "I will not."},
    {R"([{"type":"text","text":""}])", ""},
    {R"("")", ""},
  };
  for (auto& c : cases) {
    auto out = answer_of(provider::compatible, 200, openai_body(R"({"content":)" + c.content + "}"));
    ASSERT_TRUE(out.ok()) << c.content << out.error.message;
    EXPECT_EQ(out.value.text, c.text) << c.content;
    auto stopped = c.content.find("refusal") != c.content.npos ? msg::stop_reason::refused : msg::stop_reason::end;
    EXPECT_EQ(out.value.stop, stopped) << c.content;
  }
}

TEST(answer, that_is_no_text_is_malformed) {
  for (auto* content : {"5", "true", R"({"type":"text","text":"x"})", "[5]", "[null]", R"([{"type":"text"}])",
                        R"([{"type":"text","text":5}])", R"(["x"])"}) {
    auto out = answer_of(provider::compatible, 200, openai_body(std::string{R"({"content":)"} + content + "}"));
    EXPECT_EQ(out.error.code, msg::errc::model_failed) << content;
    EXPECT_NE(out.error.message.find("can not be read"), std::string::npos) << content << out.error.message;
  }
}

TEST(answer, without_text_is_a_fault_that_says_why) {
  auto thoughts = R"({"content":[{"type":"thinking","thinking":"hm"}]})";
  struct {
    provider who;
    std::string body, says;
  } const cases[] = {
    {provider::openai, openai_body(R"({"content":null})"), "without text"},
    {provider::openai, openai_body("{}"), "without text"},
    {provider::openai, openai_body(R"({"content":[]})"), "without text"},
    {provider::compatible, openai_body(thoughts), "without text"},
    {provider::compatible, openai_body(thoughts, "length"), "larger maxTokens"},
    {provider::openai, openai_body(R"({"content":""})", "length"), "larger maxTokens"},
    {provider::openai, openai_body(R"({"content":""})", "content_filter"), "refused to answer"},
    {provider::anthropic, R"({"content":[],"stop_reason":"end_turn"})", "without text"},
    {provider::anthropic, R"({"content":[],"stop_reason":"refusal"})", "refused to answer"},
    {provider::gemini, R"({"candidates":[{"finishReason":"STOP"}]})", "without text"},
    {provider::gemini, R"({"candidates":[{"finishReason":"SAFETY"}]})", "refused to answer"},
    {provider::gemini, R"({"promptFeedback":{"blockReason":"SAFETY"}})", "refused to answer"},
  };
  for (auto& c : cases) {
    auto out = answer_of(c.who, 200, c.body);
    EXPECT_EQ(out.error.code, msg::errc::model_failed) << c.body;
    EXPECT_NE(out.error.message.find(c.says), std::string::npos) << c.body << out.error.message;
  }
  auto paid = answer_of(provider::openai, 200, openai_body(R"({"content":null})"));
  EXPECT_EQ(paid.value.usage.output, 70u);
}

TEST(answer, without_usage_says_so) {
  auto out = answer_of(provider::compatible, 200,
                       R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":null})");
  ASSERT_TRUE(out.ok());
  EXPECT_TRUE(out.value.usage.is_estimated);
  EXPECT_EQ(out.value.usage.output, 0u);
}

TEST(answer, of_grok_counts_its_thoughts) {
  auto out = answer_of(provider::grok, 200,
                       R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,
    "completion_tokens":5,"total_tokens":115,"completion_tokens_details":{"reasoning_tokens":100}}})");
  EXPECT_EQ(out.value.usage.output, 105u);
}

TEST(answer, numbers_of_tokens_are_bounded) {
  auto out = answer_of(
    provider::openai, 200,
    R"({"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":1e300,"completion_tokens":99999999999999999999}})");
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value.usage.input, UINT32_MAX);
  EXPECT_EQ(out.value.usage.output, UINT32_MAX);
  out = answer_of(provider::openai, 200,
                  R"({"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":-1,"completion_tokens":2}})");
  EXPECT_TRUE(out.value.usage.is_estimated);
}

TEST(answer, gives_uses_without_an_id_one) {
  auto out = answer_of(
    provider::gemini, 200,
    R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"a"}},{"functionCall":{"name":"b","args":{}}},
    {"functionCall":{"name":"c","id":"same"}},{"functionCall":{"name":"d","id":"same"}}]},"finishReason":"STOP"}]})");
  ASSERT_TRUE(out.ok()) << out.error.message;
  ASSERT_EQ(out.value.uses.size(), 4u);
  EXPECT_EQ(out.value.uses[0].id, "use-1");
  EXPECT_EQ(out.value.uses[1].id, "use-2");
  EXPECT_EQ(out.value.uses[2].id, "same");
  EXPECT_EQ(out.value.uses[3].id, "use-4");
  EXPECT_EQ(out.value.uses[0].input.text(), "{}");
}

TEST(answer, takes_arguments_as_servers_write_them) {
  auto call = [](std::string arguments) {
    return answer_of(provider::compatible, 200,
                     R"({"choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":)" + arguments
                       + "}}]}}]}");
  };
  for (auto* good : {R"("")", R"("{}")", R"(" ")", "null", "{}"}) {
    auto out = call(good);
    ASSERT_TRUE(out.ok()) << good << out.error.message;
    EXPECT_EQ(out.value.uses.at(0).input.text(), "{}");
  }
  for (auto* bad : {R"("[1]")", R"("{\"a\":")", R"("none")"})
    EXPECT_TRUE(has(call(bad).error.message, "arguments that are no JSON object")) << bad;
}

TEST(answer, with_null_in_the_place_of_a_part_is_none) {
  struct {
    provider who;
    std::string body;
  } cases[] = {
    {provider::openai, R"({"choices":[{"message":{"tool_calls":[null]},"finish_reason":"tool_calls"}]})"},
    {provider::openai, R"({"choices":[{"message":{"tool_calls":[{}]},"finish_reason":"stop"}]})"},
    {provider::openai, R"({"choices":[{"message":{"content":"x","tool_calls":[5]},"finish_reason":"stop"}]})"},
    {provider::openai, R"({"choices":[{"message":{"content":"x","tool_calls":{}},"finish_reason":"stop"}]})"},
    {provider::openai, R"({"choices":[{"message":{"tool_calls":[]},"finish_reason":"tool_calls"}]})"},
    {provider::anthropic, R"({"content":[null],"stop_reason":"tool_use"})"},
    {provider::anthropic, R"({"content":[null],"stop_reason":"end_turn"})"},
    {provider::anthropic, R"({"content":[],"stop_reason":"tool_use"})"},
    {provider::gemini, R"({"candidates":[{"content":{"parts":[null]},"finishReason":"STOP"}]})"},
    {provider::gemini, R"({"candidates":[{"content":{"parts":[{"text":"x"},7]},"finishReason":"STOP"}]})"},
  };
  for (auto& c : cases) {
    auto out = answer_of(c.who, 200, c.body);
    EXPECT_EQ(out.error.code, msg::errc::model_failed) << c.body;
    EXPECT_TRUE(has(out.error.message, "can not be read")) << c.body << out.error.message;
    expect_sense(out, c.body);
  }
  for (auto* good : {R"({"choices":[{"message":{"content":"x","tool_calls":null},"finish_reason":"stop"}]})",
                     R"({"choices":[{"message":{"content":"x","tool_calls":[]},"finish_reason":"stop"}]})"})
    EXPECT_TRUE(answer_of(provider::openai, 200, good).ok()) << good;
}

TEST(answer, that_would_take_much_memory_is_not_read) {
  std::string dense = R"({"choices":[)";
  while (dense.size() < body_bytes_max - 100)
    dense += R"({"a":1},)";
  dense += "{}]}";
  EXPECT_TRUE(has(answer_of(provider::openai, 200, dense).error.message, "more than 32 MiB of memory"));
  auto refused = answer_of(provider::openai, 400, R"({"error":{"message":"it broke")" + dense.substr(1));
  EXPECT_TRUE(has(refused.error.message, "HTTP 400")) << refused.error.message;
  auto text = std::string(answer_bytes_max, 'x');
  EXPECT_TRUE(answer_of(provider::openai, 200, R"({"choices":[{"message":{"content":")" + text + "\"}}]}").ok());
}

TEST(answer, that_was_cut_has_no_half_uses) {
  auto out = answer_of(provider::openai, 200,
                       R"({"choices":[{"finish_reason":"length","message":{"content":"so far","tool_calls":[
    {"id":"1","function":{"name":"a","arguments":"{\"x\": \"y"}}]}}]})");
  ASSERT_TRUE(out.ok()) << out.error.message;
  EXPECT_TRUE(out.value.uses.empty());
  EXPECT_EQ(out.value.text, "so far");
  EXPECT_EQ(out.value.stop, msg::stop_reason::max_tokens);
}

TEST(answer, is_bounded) {
  std::string uses;
  for (size_t i = 0; i <= answer_uses_max; ++i)
    uses += std::string{uses.empty() ? "" : ","} + R"({"type":"tool_use","id":"x","name":"a","input":{}})";
  EXPECT_TRUE(has(answer_of(provider::anthropic, 200, R"({"content":[)" + uses + "]}").error.message, "too large"));
  auto text = R"({"content":[{"type":"text","text":")" + std::string(answer_bytes_max, 'x') + "\"}]}";
  EXPECT_TRUE(answer_of(provider::anthropic, 200, text).ok());
  text.insert(text.find("xx"), "y");
  EXPECT_TRUE(has(answer_of(provider::anthropic, 200, text).error.message, "too large"));
  text.insert(1, R"("usage":{"input_tokens":7,"output_tokens":9},"stop_reason":"end_turn",)");
  auto out = answer_of(provider::anthropic, 200, text);
  EXPECT_FALSE(out.ok());
  EXPECT_EQ(out.value.usage.output, 9u) << "it was used all the same";
}

TEST(answer, counts_of_tokens_are_whole_and_those_of_the_cache_are_among_them) {
  auto usage_of = [](provider who, const std::string& text) { return answer_of(who, 200, text).value.usage; };
  const std::string anthropic = R"({"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":)";
  auto cached = usage_of(provider::anthropic, anthropic
                                                + R"({"input_tokens":0,"cache_creation_input_tokens":30,)"
                                                  R"("cache_read_input_tokens":500,"output_tokens":1}})");
  EXPECT_EQ(cached.input, 530u);
  EXPECT_FALSE(cached.is_estimated);
  const std::string openai =
    R"({"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":)";
  cached =
    usage_of(provider::openai, openai + R"(500,"prompt_tokens_details":{"cached_tokens":500},"completion_tokens":1}})");
  EXPECT_EQ(cached.input, 500u);
  EXPECT_FALSE(cached.is_estimated);
  EXPECT_EQ(usage_of(provider::openai, openai + R"(5.0,"completion_tokens":1}})").input, 5u);
  for (std::string wrong : {"0.4", "-5", "\"5\"", "1.5"}) {
    EXPECT_TRUE(usage_of(provider::openai, openai + "5,\"completion_tokens\":" + wrong + "}}").is_estimated) << wrong;
    EXPECT_EQ(usage_of(provider::anthropic, anthropic + "{\"input_tokens\":" + wrong + ",\"output_tokens\":1}}").input,
              0u)
      << wrong;
  }
}

/// Calls `f` with the text of `all` in which one value after the other is replaced.
void with_each_value_replaced(json::value& all, json::value& at, const json::value& by,
                              const std::function<void(const std::string&)>& f) {
  auto kept = at;
  at = by;
  f(text::to_text(all));
  at = kept;
  if (auto* object = at.if_object())
    for (auto& member : *object)
      with_each_value_replaced(all, member.value(), by, f);
  if (auto* array = at.if_array())
    for (auto& element : *array)
      with_each_value_replaced(all, element, by, f);
}

TEST(answer, of_the_wrong_types_is_an_answer_or_a_fault) {
  for (auto who : {provider::anthropic, provider::openai, provider::gemini})
    for (auto* wrong :
         {"null", "true", "-1", "1.5", "1e308", "\"x\"", "[]", "{}", "[null]", "[[]]", "[{}]", R"({"type":"x"})"}) {
      auto body = test::value(test::whole_body(who));
      with_each_value_replaced(body, body, test::value(wrong),
                               [who](auto& text) { expect_sense(answer_of(who, 200, text), text); });
    }
}

TEST(answer, that_is_none_is_a_fault) {
  const std::string deep = std::string(100'000, '[');
  for (auto who : all_providers)
    for (auto& body : {std::string{}, std::string{"null"}, std::string{"{}"}, std::string{"[]"}, std::string{"42"},
                       deep, std::string{"\xff\xfe"}, std::string{"{\"choices\":[]}"},
                       std::string{"{\"candidates\":[]}"}, std::string{"{\"content\":{}}"}, std::string(1'000'000, 'x'),
                       std::string{"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"}}) {
      auto out = answer_of(who, 200, body);
      ASSERT_FALSE(out.ok()) << body.substr(0, 100);
      EXPECT_TRUE(has(out.error.message, "answered with what is no answer")) << out.error.message;
      EXPECT_TRUE(has(out.error.message, title_of(who))) << out.error.message;
      expect_sense(out, body.substr(0, 100));
    }
}

TEST(answer, cut_anywhere_is_a_fault) {
  for (auto who : {provider::anthropic, provider::openai, provider::gemini}) {
    auto body = test::whole_body(who);
    for (size_t n = 0; n < body.size(); ++n)
      EXPECT_FALSE(answer_of(who, 200, body.substr(0, n)).ok());
  }
}

} // namespace sampling_answer_test
