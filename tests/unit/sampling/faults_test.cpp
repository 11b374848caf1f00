#include "sampling/faults.hpp"

#include "tests/unit/support/values.hpp"
#include "text/utf8.hpp"

#include <gtest/gtest.h>

namespace sampling_faults_test {

using namespace sampling;

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(fault, says_who_what_and_what_to_do) {
  struct {
    provider who;
    int status;
    const char *body, *said, *advice;
    msg::errc code;
  } const cases[] = {
    // As the documents of the providers show their errors.
    {provider::anthropic, 401,
     R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"})",
     "invalid x-api-key", "Set ANTHROPIC_API_KEY", msg::errc::model_failed},
    {provider::anthropic, 404,
     R"({"type":"error","error":{"type":"not_found_error","message":"model: claude-haiku-4-5-20251001"}})",
     "claude-haiku-4-5-20251001", "sampling.models.anthropic", msg::errc::model_failed},
    {provider::anthropic, 429,
     R"({"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your limit."}})",
     "exceed your limit", "Wait", msg::errc::rate_limited},
    {provider::anthropic, 529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
     "Overloaded", "Try again", msg::errc::model_failed},
    {provider::anthropic, 400,
     R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low."}})",
     "credit balance", "Add credit", msg::errc::model_failed},
    {provider::anthropic, 403, R"({"type":"error","error":{"type":"permission_error","message":"Not for you."}})",
     "Not for you", "may do", msg::errc::model_failed},
    {provider::anthropic, 413, R"({"type":"error","error":{"type":"request_too_large","message":"Too large."}})",
     "Too large", "less text", msg::errc::model_failed},
    {provider::openai, 401,
     R"({"error":{"message":"Incorrect API key provided: sk-abcd********wxyz.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}})",
     "Incorrect API key provided: [removed]", "Set OPENAI_API_KEY", msg::errc::model_failed},
    {provider::openai, 404,
     R"({"error":{"message":"The model `gpt-9` does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}})",
     "gpt-9", "sampling.models.openai", msg::errc::model_failed},
    {provider::openai, 429,
     R"({"error":{"message":"Rate limit reached for gpt-4o-mini","type":"tokens","param":null,"code":"rate_limit_exceeded"}})",
     "Rate limit reached", "Wait", msg::errc::rate_limited},
    {provider::openai, 429,
     R"({"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
     "current quota", "Add credit", msg::errc::model_failed},
    {provider::openai, 400,
     R"({"error":{"message":"Unsupported parameter: 'max_tokens'","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}})",
     "Unsupported parameter", "Change what it complains of", msg::errc::model_failed},
    {provider::gemini, 400,
     R"({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}})",
     "API key not valid", "Set GEMINI_API_KEY", msg::errc::model_failed},
    {provider::gemini, 503, R"([{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}])",
     "The model is overloaded", "Try again", msg::errc::model_failed},
    {provider::grok, 400,
     R"({"code":"Client specified an invalid argument","error":"Incorrect API key provided: ab***yz. Get one at https://console.x.ai."})",
     "Incorrect API key provided: [removed]", "Set GROK_API_KEY", msg::errc::model_failed},
    {provider::perplexity, 401,
     "<html>\r\n<head><title>401 Authorization Required</title></head>\r\n<body>openresty</body></html>",
     "401 Authorization Required", "Set PERPLEXITY_API_KEY", msg::errc::model_failed},
    {provider::compatible, 404, R"({"error":"model 'llama9' not found"})", "model 'llama9' not found",
     "sampling.models.compatible", msg::errc::model_failed},
    {provider::compatible, 401, "", "HTTP 401)", "Set CODE_EXECUTOR_AI_API_KEY (or sampling.apiKeys.compatible",
     msg::errc::model_failed},
    {provider::compatible, 422, R"({"detail":"Field required"})", "Field required", "Change", msg::errc::model_failed},
    {provider::compatible, 302, "", "HTTP 302)", "Check sampling.baseUrl", msg::errc::model_failed},
    {provider::compatible, 500, "Internal Server Error", "Internal Server Error", "Try again", msg::errc::model_failed},
    {provider::compatible, 502, "<HTML><HEAD><TITLE>502 Bad Gateway</TITLE></HEAD></HTML>", "502 Bad Gateway",
     "Try again", msg::errc::model_failed},
  };
  for (auto& c : cases) {
    auto out = answer_of(c.who, c.status, c.body);
    ASSERT_FALSE(out.ok());
    auto& text = out.error.message;
    EXPECT_EQ(out.error.code, c.code) << text;
    EXPECT_TRUE(text.starts_with(title_of(c.who))) << text;
    EXPECT_TRUE(has(text, c.said)) << text;
    EXPECT_TRUE(has(text, c.advice)) << text;
    EXPECT_TRUE(has(text, "HTTP " + std::to_string(c.status))) << text;
    EXPECT_TRUE(text.ends_with('.')) << text;
  }
}

TEST(fault, of_gemini_has_the_delay_that_it_asks_for) {
  auto fault = [](std::string delay) {
    return answer_of(
             provider::gemini, 429,
             R"({"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[
      {"@type":"type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":)"
               + delay + "}]}}")
      .error;
  };
  EXPECT_EQ(fault("\"34.5s\"").retry_after_ms, 34'500u);
  EXPECT_EQ(fault("\"34.5s\"").code, msg::errc::rate_limited);
  for (auto* odd : {"\"\"", "\"s\"", "\"-3s\"", "\"nans\"", "\"infs\"", "\"1e99s\"", "\"3m\"", "12", "null"})
    EXPECT_EQ(fault(odd).retry_after_ms, 0u) << odd;
}

TEST(fault, of_any_status_and_body_says_something) {
  for (int status : {-1, 0, 100, 204, 301, 400, 402, 418, 429, 499, 500, 503, 529, 599, 9999})
    for (auto* body : {"", "null", "{}", "[]", "[1]", R"({"error":null})", R"({"error":[]})", R"({"error":{}})",
                       R"({"error":{"message":[]}})", R"({"error":7})",
                       R"({"error":{"code":-5,"type":3,"details":[3,{"retryDelay":{}}]}})",
                       R"({"message":"\u0000\u001b[2J\n\n x"})", "\xff\xfe\x00", "<title>", "<title>x"}) {
      auto out = answer_of(provider::grok, status, body);
      ASSERT_FALSE(out.ok());
      EXPECT_GT(out.error.message.size(), 30u);
      EXPECT_TRUE(test::is_valid_utf8(out.error.message));
      EXPECT_EQ(out.error.message.find_first_of(std::string_view{"\n\r\0\x1b", 4}), std::string::npos)
        << out.error.message;
    }
}

TEST(fault, quotes_a_bounded_part) {
  auto out = answer_of(provider::openai, 500, R"({"error":{"message":")" + std::string(100'000, 'x') + R"( ääää"}})");
  EXPECT_LT(out.error.message.size(), said_bytes_max + 200);
  EXPECT_GT(out.error.message.size(), said_bytes_max / 2);
}

TEST(told, removes_keys_and_keeps_names) {
  for (auto* secret : {"sk-ant-api03-abcdefghij0123456789", "sk-proj-x", "xai-abc", "pplx-0123456789abcdef",
                       "AIzaSyA0123456789", "gsk_abc", "AQ.Ab8RN6", "ab****yz", "0123456789abcdef0123456789abcdef",
                       "eyJhbGciOiJIUzI1NiJ9.e30.x", "hf_abc", "org-Ab0123456789abcdefghij"})
    EXPECT_EQ(told("the key '" + std::string{secret} + "' is wrong"), "the key '[removed]' is wrong");
  for (auto* name : {"claude-haiku-4-5-20251001", "gpt-4o-mini-2024-07-18", "gemini-2.5-flash-lite-preview-06-17",
                     "grok-4-1-fast-non-reasoning", "models/gemini-1.5-pro", "mcp__server_of_weather__read_all_2",
                     "https://api.anthropic.com/v1/messages", "llama-3.1-sonar-small-128k-online",
                     "messages.0.content.1.tool_use_id", "20251001123456789012345"})
    EXPECT_EQ(told(name), name);
}

TEST(told, is_one_line) {
  EXPECT_EQ(told("  a\r\n\tb\x1b[31m c  "), "a b [31m c");
  EXPECT_EQ(told(""), "");
  EXPECT_EQ(told("\n \n"), "");
}

TEST(told, is_bounded_whatever_the_bytes) {
  for (auto* unit : {"x", "x ", "\xff", "\u00e4", "\u20ac", "\U0001F600", "\xf0\x9f", "\xe2\x82 "}) {
    std::string text;
    while (text.size() < 10 * said_bytes_max)
      text += unit;
    for (size_t shift = 0; shift < 4; ++shift) {
      auto out = told(std::string(shift, 'a') + text);
      EXPECT_LE(out.size(), said_bytes_max);
      EXPECT_GT(out.size(), said_bytes_max - 5);
      EXPECT_TRUE(test::is_valid_utf8(out));
    }
  }
}

TEST(transport_fault, says_what_to_do) {
  auto text = [](transport how) { return transport_fault(provider::openai, "", how, "curl says so").message; };
  EXPECT_EQ(text(transport::not_connected), "OpenAI can not be reached at https://api.openai.com/v1 (curl says so). "
                                            "Check sampling.baseUrl, the network and the proxy.");
  EXPECT_TRUE(has(text(transport::timed_out), "Raise sampling.timeoutPerCallMs"));
  EXPECT_TRUE(has(text(transport::not_trusted), "TLS"));
  EXPECT_TRUE(has(text(transport::lost), "within its answer (curl says so). Try again."));
  EXPECT_TRUE(has(text(transport::lost_early), "before it answered"));
  EXPECT_EQ(
    transport_fault(provider::compatible, "http://h:1/v1?key=secret", transport::failed, "").message,
    "The compatible server could not be asked at http://h:1/v1. Check sampling.baseUrl, the network and the proxy.");
}

} // namespace sampling_faults_test
