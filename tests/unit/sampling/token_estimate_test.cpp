#include "sampling/token_estimate.hpp"

#include "tests/unit/sampling/bodies.hpp"

#include <gtest/gtest.h>

namespace sampling_token_estimate_test {

using namespace sampling;

/// Texts with what the tokenizers o200k_base, cl100k_base and that of Claude 2 count at most.
TEST(estimate, is_not_below_what_tokenizers_count) {
  struct {
    const char* text;
    uint32_t tokens;
  } const cases[] = {
    {"The quick brown fox jumps over the lazy dog, and nobody has ever asked it why it would do such a thing.", 24},
    {"You are a helpful assistant", 5},
    {"You are a code analysis expert", 6},
    {"Summarize the following issues in three short sentences; name the file and the line of each.\n", 21},
    {"for (auto& event : events_.feed(bytes))\n    if (!done())\n      take(event);\n", 23},
    {"def total(rows):\n    return sum(row[\"amount\"] for row in rows if row.get(\"paid\"))\n", 25},
    {"{\"name\":\"read_file\",\"arguments\":{\"path\":\"/etc/hosts\",\"limit\":200,\"follow\":true}}", 24},
    {"| model | input | output |\n|---|---|---|\n| gpt-4o-mini | 0.15 | 0.60 |\n", 32},
    {"Die Verbindung wurde geschlossen, bevor die Antwort vollständig war.", 21},
    {"Le serveur n'a pas répondu à temps ; vérifiez l'adresse.", 20},
    {"Сервер не ответил вовремя, проверьте адрес.", 21},
    {"服务器没有及时响应,请检查地址并重试。", 16},
    {"サーバーが時間内に応答しませんでした。", 19},
    {"서버가 제시간에 응답하지 않았습니다.", 20},
    {"3.14159265358979, 2.71828182845905, 1.41421356237310", 26},
    {"550e8400-e29b-41d4-a716-446655440000", 21},
    {"getElementByIdAndRemoveAllChildren", 8},
    {"MAX_TOKENS_PER_EXECUTION", 9},
  };
  for (auto& c : cases) {
    EXPECT_GE(estimated_tokens(c.text), c.tokens) << c.text;
    EXPECT_LE(estimated_tokens(c.text), 3 * c.tokens) << c.text;
  }
}

TEST(estimate, of_nothing_is_nothing) { EXPECT_EQ(estimated_tokens(""), 0u); }

TEST(estimate, grows_with_the_text) {
  std::string text;
  uint32_t last = 0;
  for (int i = 0; i < 300; ++i) {
    text += static_cast<char>(i * 37);
    EXPECT_GE(estimated_tokens(text), last);
    last = estimated_tokens(text);
  }
  EXPECT_EQ(estimated_tokens(std::string(4'000'000, 'x')), 1'000'000u);
}

TEST(estimate, of_a_request_counts_all_of_it) {
  auto plain = estimated_input(test::simple_request());
  EXPECT_GE(plain, 8u);
  auto with_tools = estimated_input(test::tool_request());
  EXPECT_GT(with_tools, plain + 50);
  auto longer = test::tool_request();
  longer.messages[2].answers[0].text += std::string(400, 'x');
  EXPECT_EQ(estimated_input(longer), with_tools + 100);
}

TEST(usage, is_what_was_reported_or_an_estimate) {
  msg::model_answer answer;
  answer.text = "one two three";
  answer.usage = {7, 8, false};
  auto reported = usage_of(test::simple_request(), answer);
  EXPECT_EQ(reported.input, 7u);
  EXPECT_FALSE(reported.is_estimated);
  answer.usage = {0, 0, true};
  auto estimated = usage_of(test::simple_request(), answer);
  EXPECT_TRUE(estimated.is_estimated);
  EXPECT_EQ(estimated.input, estimated_input(test::simple_request()));
  EXPECT_EQ(estimated.output, 4u);
}

TEST(usage, that_can_not_be_is_an_estimate) {
  auto request = test::simple_request();
  auto input = estimated_input(request);
  msg::model_answer answer;
  answer.text = std::string(4'000, 'x'); // 1,000 tokens
  auto used_if_told = [&](msg::token_usage told) {
    answer.usage = told;
    return usage_of(request, answer);
  };
  struct {
    msg::token_usage told, used;
  } const cases[] = {{{0, 0, false}, {input, 1'000, true}}, {{7, 0, false}, {7, 1'000, true}},
                     {{7, 249, false}, {7, 1'000, true}},   {{7, 250, false}, {7, 250, false}},
                     {{0, 900, false}, {input, 900, true}}, {{1, 50'000, false}, {1, 50'000, false}}};
  for (auto& c : cases)
    EXPECT_EQ(used_if_told(c.told).fields(), msg::token_usage{c.used}.fields()) << c.told.input << " " << c.told.output;
  answer.text.clear();
  EXPECT_FALSE(used_if_told({7, 0, false}).is_estimated) << "nothing came";
}

} // namespace sampling_token_estimate_test
