// What is told of sampling, in all shapes.
#include "tests/unit/proxy/surface/results_fixture.hpp"

namespace tools_results_sampling_test {

using namespace results_tests;

constexpr const char* shapes[] = {"run-typescript-code", "execute_code", "run_python"};

TEST(sampling, is_not_told_of_when_it_was_off) {
  for (auto* tool : shapes) {
    auto r = success();
    r.output.head = "x\n";
    auto plain = result(tool, r);
    r.sampling = asked();
    r.sampling.enabled = false;
    EXPECT_EQ(result(tool, r), plain) << tool;
    EXPECT_EQ(toon(tool, r), toon(tool, [&] {
                r.sampling = {};
                return r;
              }()));
  }
}

TEST(sampling, is_told_in_the_structured_form_of_every_shape) {
  for (auto* tool : shapes)
    for (auto status : {run_status::success, run_status::error, run_status::timeout}) {
      auto r = status == run_status::success ? success() : failure("E", "m");
      r.status = status;
      r.sampling = asked();
      auto s = structured(result(tool, r));
      EXPECT_EQ(text::to_text(s.at("samplingMetrics")),
                R"({"totalRounds":2,"totalTokens":345,"totalDurationMs":1234.6,"averageTokensPerRound":172.5,)"
                R"("quotaRemaining":{"rounds":8,"tokens":9655},"route":"anthropic"})");
      EXPECT_EQ(
        text::to_text(s.at("samplingCalls")),
        R"([{"model":"claude-x","provider":"anthropic","inputTokens":300,"outputTokens":45,"durationMs":1000.0,"stopReason":"end","toolCalls":3},)"
        R"({"model":"claude-x","provider":"anthropic","inputTokens":0,"outputTokens":0,"durationMs":234.6,"error":"model_failed"}])");
    }
}

TEST(sampling, is_told_to_the_reader_in_one_line) {
  auto r = success();
  r.output.head = "x\n";
  r.sampling = asked();
  EXPECT_EQ(text_of(result("run-typescript-code", r)), "x\n[sampling: 2 rounds, 345 tokens, anthropic]");
  EXPECT_EQ(text_of(result("run_python", r)), "x\n[sampling: 2 rounds, 345 tokens, anthropic]");
  r.sampling.rounds = r.sampling.tokens = 1;
  r.sampling.is_estimated = true;
  r.sampling.route = "client";
  EXPECT_EQ(text_of(result("run-python-code", r)), "x\n[sampling: 1 round, 1 token (estimated), client]");
  EXPECT_EQ(structured(result("run-python-code", r)).at("samplingMetrics").at("estimated"), true);
  EXPECT_EQ(value(text_of(result("execute_code", r)).c_str()), json::value(structured(result("execute_code", r))));
}

TEST(sampling, that_was_enabled_and_not_used_has_metrics_only) {
  for (auto* tool : shapes) {
    auto r = success();
    r.output.head = "x\n";
    r.sampling.enabled = true;
    r.sampling.rounds_left = 10;
    r.sampling.tokens_left = 10'000;
    auto o = result(tool, r);
    EXPECT_FALSE(structured(o).contains("samplingCalls"));
    EXPECT_EQ(text::to_text(structured(o).at("samplingMetrics")),
              R"({"totalRounds":0,"totalTokens":0,"totalDurationMs":0.0,"averageTokensPerRound":0.0,)"
              R"("quotaRemaining":{"rounds":10,"tokens":10000}})");
    EXPECT_EQ(text_of(o).find("[sampling"), std::string::npos) << text_of(o);
  }
}

TEST(sampling, prompts_and_answers_are_bounded_and_valid_text) {
  auto r = success();
  r.sampling = asked();
  r.sampling.calls.resize(100, r.sampling.calls[0]);
  EXPECT_EQ(text::to_text(structured(result("run-typescript-code", r))).find("prompt"), std::string::npos);
  for (auto& call : r.sampling.calls) {
    call.prompt = std::string(100'000, 'p') + "\xFF";
    call.answer = "short \xFF";
    call.model = "m\xFF" + std::string(1'000, 'm');
  }
  for (auto* tool : shapes) {
    auto text = text::to_text(json::value(result(tool, r)));
    EXPECT_LT(text.size(), 200'000u) << tool;
    EXPECT_TRUE(test::is_valid_utf8(text));
    auto first = structured(result(tool, r)).at("samplingCalls").at(0);
    EXPECT_EQ(first.at("answer"), "short \xEF\xBF\xBD");
    EXPECT_LT(first.at("prompt").as_string().size(), 300u);
  }
}

} // namespace tools_results_sampling_test
