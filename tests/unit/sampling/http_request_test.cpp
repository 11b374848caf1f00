#include "sampling/provider.hpp"
#include "tests/unit/sampling/bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sampling_question_test {

using namespace sampling;
constexpr const char* key = "secret-key-1";

std::string header(const provider_http_request& q, std::string_view name) {
  auto found = std::find_if(q.headers.begin(), q.headers.end(), [name](auto& h) { return h.first == name; });
  return found == q.headers.end() ? std::string{} : found->second;
}

boost::json::value body(const provider_http_request& q) { return test::value(q.body); }

TEST(question, of_every_provider_has_its_key_in_one_header_only) {
  for (auto who : all_providers) {
    for (bool stream : {false, true}) {
      auto request = test::tool_request();
      request.stream = stream;
      auto q = http_request_for(who, "https://host.example/base", key, request);
      EXPECT_EQ(q.url.find(key), q.url.npos);
      EXPECT_EQ(q.body.find(key), q.body.npos);
      EXPECT_EQ(
        std::count_if(q.headers.begin(), q.headers.end(), [](auto& h) { return h.second.find(key) != h.second.npos; }),
        1)
        << name_of(who);
      EXPECT_EQ(header(q, "content-type"), "application/json");
      EXPECT_EQ(header(q, "accept"), stream ? "text/event-stream" : "application/json");
      auto without = http_request_for(who, "https://host.example/base", "", request);
      EXPECT_EQ(without.headers.size() + 1, q.headers.size()) << "no key, no header for it: " << name_of(who);
    }
  }
}

TEST(question, goes_to_the_address_of_its_provider) {
  auto request = test::simple_request();
  struct {
    provider who;
    const char *base, *url;
  } const cases[] = {
    {provider::anthropic, "", "https://api.anthropic.com/v1/messages"},
    {provider::anthropic, "http://127.0.0.1:9", "http://127.0.0.1:9/v1/messages"},
    {provider::anthropic, "http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1/messages"},
    {provider::anthropic, "https://gateway.example/anthropic", "https://gateway.example/anthropic/v1/messages"},
    {provider::openai, "", "https://api.openai.com/v1/chat/completions"},
    {provider::grok, "", "https://api.x.ai/v1/chat/completions"},
    {provider::perplexity, "", "https://api.perplexity.ai/chat/completions"},
    {provider::perplexity, "http://127.0.0.1:9", "http://127.0.0.1:9/chat/completions"},
    {provider::compatible, "http://localhost:11434", "http://localhost:11434/v1/chat/completions"},
    {provider::compatible, "http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"},
    {provider::compatible, "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"},
    {provider::gemini, "", "https://generativelanguage.googleapis.com/v1beta/models/m-1:generateContent"},
    {provider::gemini, "http://127.0.0.1:9//", "http://127.0.0.1:9/v1beta/models/m-1:generateContent"},
  };
  for (auto& c : cases)
    EXPECT_EQ(http_request_for(c.who, c.base, key, request).url, c.url);
  request.stream = true;
  EXPECT_EQ(http_request_for(provider::gemini, "", key, request).url,
            "https://generativelanguage.googleapis.com/v1beta/models/m-1:streamGenerateContent?alt=sse");
}

TEST(question, to_gemini_has_no_way_out_of_the_path) {
  auto request = test::simple_request();
  for (auto [model, path] : {std::pair{"gemini-2.5-flash", "models/gemini-2.5-flash"},
                             {"tunedModels/x1", "tunedModels/x1"},
                             {"models/x", "models/x"},
                             {"models/models/x", "models/models%2Fx"},
                             {"..", "models/.."},
                             {"../../x", "models/..%2F..%2Fx"},
                             {"a?b#c d%e", "models/a%3Fb%23c%20d%25e"},
                             {"ä:x", "models/%C3%A4%3Ax"}}) {
    request.model = model;
    EXPECT_EQ(http_request_for(provider::gemini, "https://h", key, request).url,
              "https://h/v1beta/" + std::string{path} + ":generateContent");
  }
}

TEST(question, to_anthropic) {
  auto q = http_request_for(provider::anthropic, "", key, test::tool_request());
  EXPECT_EQ(header(q, "x-api-key"), key);
  EXPECT_EQ(header(q, "anthropic-version"), "2023-06-01");
  EXPECT_EQ(body(q), test::value(R"({"model":"m-1","max_tokens":100,"system":"Be brief.","messages":[
    {"role":"user","content":[{"type":"text","text":"How warm is it?"}]},
    {"role":"assistant","content":[{"type":"text","text":"I shall look."},{"type":"tool_use","id":"id-7","name":"mcp__weather__now","input":{"city":"Kiel"}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"id-7","content":"11 degrees","is_error":false}]}],
    "tools":[{"name":"mcp__weather__now","description":"The weather of a city.",
      "input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]})"));
}

TEST(question, to_openai_and_those_who_speak_like_it) {
  auto request = test::tool_request();
  request.stream = true;
  auto expected =
    test::value(R"({"model":"m-1","max_tokens":100,"stream":true,"stream_options":{"include_usage":true},"messages":[
    {"role":"system","content":"Be brief."},{"role":"user","content":"How warm is it?"},
    {"role":"assistant","content":"I shall look.","tool_calls":[{"id":"id-7","type":"function","function":{"name":"mcp__weather__now","arguments":"{\"city\":\"Kiel\"}"}}]},
    {"role":"tool","tool_call_id":"id-7","content":"11 degrees"}],
    "tools":[{"type":"function","function":{"name":"mcp__weather__now","description":"The weather of a city.",
      "parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]})");
  for (auto who : {provider::grok, provider::compatible}) {
    auto q = http_request_for(who, "http://h", key, request);
    EXPECT_EQ(header(q, "authorization"), std::string{"Bearer "} + key);
    EXPECT_EQ(body(q), expected) << name_of(who);
  }
  auto& newer = expected.get_object();
  newer.erase("max_tokens");
  newer["max_completion_tokens"] = 100;
  EXPECT_EQ(body(http_request_for(provider::openai, "", key, request)), expected);
}

TEST(question, to_openai_keeps_messages_without_text) {
  auto request = test::tool_request();
  request.messages[1].text.clear();
  request.messages[2].text = "Go on.";
  request.messages[2].answers[0].is_error = true;
  request.messages.push_back({msg::chat_role::user, "", {}, {}});
  auto messages = body(http_request_for(provider::openai, "", key, request)).as_object()["messages"].as_array();
  ASSERT_EQ(messages.size(), 6u);
  EXPECT_TRUE(messages[2].at("content").is_null());
  EXPECT_EQ(messages[3].at("content"), "Error: 11 degrees");
  EXPECT_EQ(messages[4], test::value(R"({"role":"user","content":"Go on."})"));
  EXPECT_EQ(messages[5], test::value(R"({"role":"user","content":""})"));
}

TEST(question, to_perplexity_has_roles_in_turn) {
  auto request = test::simple_request();
  request.stream = true;
  request.messages.push_back({msg::chat_role::user, "In Kiel.", {}, {}});
  request.messages.push_back({msg::chat_role::assistant, "11", {}, {}});
  request.messages.push_back({msg::chat_role::user, "And now?", {}, {}});
  EXPECT_EQ(body(http_request_for(provider::perplexity, "", key, request)),
            test::value(R"({"model":"m-1","max_tokens":100,"stream":true,"messages":[
    {"role":"system","content":"Be brief."},{"role":"user","content":"How warm is it?\n\nIn Kiel."},{"role":"assistant","content":"11"},
    {"role":"user","content":"And now?"}]})"));
}

TEST(question, to_gemini) {
  auto q = http_request_for(provider::gemini, "", key, test::tool_request());
  EXPECT_EQ(header(q, "x-goog-api-key"), key);
  EXPECT_EQ(
    body(q),
    test::value(
      R"({"generationConfig":{"maxOutputTokens":100},"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[
    {"role":"user","parts":[{"text":"How warm is it?"}]},
    {"role":"model","parts":[{"text":"I shall look."},{"functionCall":{"name":"mcp__weather__now","args":{"city":"Kiel"},"id":"id-7"},"thoughtSignature":"c2ln"}]},
    {"role":"user","parts":[{"functionResponse":{"name":"mcp__weather__now","response":{"output":"11 degrees"},"id":"id-7"}}]}],
    "tools":[{"functionDeclarations":[{"name":"mcp__weather__now","description":"The weather of a city.",
      "parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}]})"));
}

TEST(question, to_gemini_has_only_ids_that_gemini_gave) {
  auto request = test::tool_request();
  request.messages[1].uses[0].id = request.messages[2].answers[0].id = "use-1";
  request.messages[2].answers[0].is_error = true;
  auto q = http_request_for(provider::gemini, "", key, request);
  EXPECT_EQ(q.body.find("use-1"), q.body.npos);
  EXPECT_NE(q.body.find(R"("response":{"error":"11 degrees"})"), q.body.npos);
}

TEST(question, gives_a_schema_its_type) {
  auto request = test::simple_request();
  request.tools.push_back({"a", "", test::doc("{}")});
  request.tools.push_back({"b", "", test::doc("[1]")});
  for (auto who : all_providers) {
    auto text = http_request_for(who, "http://h", "", request).body;
    size_t count = 0;
    for (auto at = text.find(R"({"type":"object"})"); at != text.npos; at = text.find(R"({"type":"object"})", at + 1))
      ++count;
    EXPECT_EQ(count, 2u) << name_of(who) << ": " << text;
  }
}

TEST(question, has_no_system_prompt_that_is_empty) {
  auto request = test::simple_request();
  request.system.clear();
  for (auto who : all_providers) {
    auto text = http_request_for(who, "http://h", "", request).body;
    EXPECT_EQ(text.find("system"), text.npos) << text;
  }
}

TEST(provider, names_go_both_ways) {
  for (auto who : all_providers) {
    EXPECT_EQ(provider_named(name_of(who)), who);
    EXPECT_EQ(*default_model(who) && *default_base_url(who), who != provider::compatible);
    EXPECT_TRUE(*key_variable(who));
  }
  EXPECT_EQ(provider_named("Anthropic"), std::nullopt);
  EXPECT_EQ(provider_named(""), std::nullopt);
  EXPECT_STREQ(default_model(provider::anthropic), "claude-haiku-4-5-20251001");
}

} // namespace sampling_question_test
