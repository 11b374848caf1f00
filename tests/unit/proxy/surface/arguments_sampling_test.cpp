// What a call says of models that its program may ask.
#include "proxy/surface/arguments.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace tools_arguments_sampling_test {

using msg::errc;
using strings = std::vector<std::string>;
using test::object;

auto run(const char* tool, const boost::json::object& arguments) {
  return surface::parse_run(*surface::find_tool(tool), arguments, surface::run_limits{});
}
auto run(const char* tool, const char* arguments) { return run(tool, object(arguments)); }

constexpr const char* run_tools[] = {"run-typescript-code", "executeTypescript", "run-python-code",
                                     "executePython",       "execute_code",      "run_python"};

TEST(run_arguments, of_sampling_are_as_configured_unless_given) {
  for (auto* tool : run_tools) {
    auto got = run(tool, R"({"code":"x","enableSampling":null})");
    ASSERT_TRUE(got.ok()) << got.error.message;
    auto& wish = got.value.request.sampling;
    EXPECT_EQ(wish.enabled, msg::sampling_switch::as_configured);
    EXPECT_EQ(wish.rounds_max, 0u);
    EXPECT_EQ(wish.tokens_max, 0u);
    EXPECT_EQ(wish.system_prompt, "");
    EXPECT_FALSE(wish.has_models);
    EXPECT_FALSE(wish.verbose);
  }
}

TEST(run_arguments, of_sampling) {
  for (auto* tool : run_tools) {
    auto got = run(tool, R"({"code":"x","enableSampling":true,"maxSamplingRounds":3,"maxSamplingTokens":100000.0,
      "samplingSystemPrompt":"You are terse, and kind","allowedSamplingModels":["a","b-1"],"samplingVerbose":true})");
    ASSERT_TRUE(got.ok()) << got.error.message;
    auto& wish = got.value.request.sampling;
    EXPECT_EQ(wish.enabled, msg::sampling_switch::on);
    EXPECT_EQ(wish.rounds_max, 3u);
    EXPECT_EQ(wish.tokens_max, 100'000u);
    EXPECT_EQ(wish.system_prompt, "You are terse, and kind");
    EXPECT_TRUE(wish.has_models);
    EXPECT_EQ(wish.models, (strings{"a", "b-1"}));
    EXPECT_TRUE(wish.verbose);
  }
  auto off =
    run("run_python", R"({"code":"x","enableSampling":false,"allowedSamplingModels":[]})").value.request.sampling;
  EXPECT_EQ(off.enabled, msg::sampling_switch::off);
  EXPECT_TRUE(off.has_models) << "given and empty: none";
  EXPECT_TRUE(off.models.empty());
}

TEST(run_arguments, of_sampling_are_checked) {
  struct {
    const char *field, *says;
  } const cases[] = {
    {R"("enableSampling":"yes")", "'enableSampling' must be true or false, not \"yes\""},
    {R"("maxSamplingRounds":0)", "'maxSamplingRounds' must be an integer from 1 to 100, not 0"},
    {R"("maxSamplingRounds":101)", "'maxSamplingRounds' must be an integer from 1 to 100, not 101"},
    {R"("maxSamplingRounds":1.5)", "'maxSamplingRounds' must be an integer from 1 to 100, not 1.5"},
    {R"("maxSamplingTokens":99)", "'maxSamplingTokens' must be an integer from 100 to 100000, not 99"},
    {R"("maxSamplingTokens":100001)", "'maxSamplingTokens' must be an integer from 100 to 100000, not 100001"},
    {R"("samplingSystemPrompt":7)", "'samplingSystemPrompt' must be a string, not 7"},
    {R"("allowedSamplingModels":"a")", "'allowedSamplingModels' must be a list of strings, not \"a\""},
    {R"("allowedSamplingModels":[""])", "'allowedSamplingModels' must be a list of non-empty strings"},
    {R"("samplingVerbose":1)", "'samplingVerbose' must be true or false, not 1"},
    {R"("enable_sampling":true)", "did you mean 'enableSampling'?"},
    {R"("maxSamplingRound":1)", "did you mean 'maxSamplingRounds'?"},
  };
  for (auto& c : cases)
    for (auto* tool : run_tools) {
      auto got = run(tool, (std::string{R"({"code":"x",)"} + c.field + "}").c_str());
      EXPECT_EQ(got.error.code, errc::invalid_argument) << c.field;
      EXPECT_NE(got.error.message.find(c.says), std::string::npos) << got.error.message;
    }
  auto prompt =
    run("execute_code", boost::json::object{{"code", "x"}, {"samplingSystemPrompt", std::string(20'000, 'x')}});
  EXPECT_NE(prompt.error.message.find("'samplingSystemPrompt' must be at most 16384 bytes"), std::string::npos)
    << prompt.error.message;
}

} // namespace tools_arguments_sampling_test
