#include "actors/sampling/completion_rules.hpp"

#include "tests/unit/actors/sampling/completion_fixture.hpp"

namespace sampling_completion_rules_test {

using namespace sampling_tests;
using msg::chat_role;
using sampling::budget;

struct completion_rules_test : testing::Test {
  sampling::rules rules;
  msg::sampling_options wish;
  msg::sample_request asked;
  sampling::model_route route = provider();
  completion_request q;

  completion_rules_test() {
    rules.system_prompts = {"", "Be kind"};
    asked.messages.push_back({chat_role::user, "hello", {}, {}});
  }
  msg::fault prepare() {
    q = {};
    auto copy = asked;
    return sampling::completion_rules{rules, wish}.prepare(copy, std::make_shared<const sampling::model_route>(route),
                                                           q);
  }
};

TEST_F(completion_rules_test, fill_in_what_a_question_does_not_say) {
  wish.system_prompt = "Be brief";
  EXPECT_EQ(prepare().code, errc::none);
  EXPECT_EQ(q.request.model, "m");
  EXPECT_EQ(q.request.system, "Be brief") << "of the run, which may name one if none are configured";
  EXPECT_EQ(q.request.max_tokens, 1'000u);
  EXPECT_EQ(q.how, budget::wish::at_most);
  asked.max_tokens = 50;
  asked.has_system = true;
  asked.system = "Be kind";
  EXPECT_EQ(prepare().code, errc::none);
  EXPECT_EQ(q.request.system, "Be kind");
  EXPECT_EQ(q.request.max_tokens, 50u);
  EXPECT_EQ(q.how, budget::wish::exact) << "a shorter answer is not what was asked for";
}

TEST_F(completion_rules_test, permit_only_system_prompts_that_are_configured) {
  asked.has_system = true;
  asked.system = "Be evil";
  EXPECT_EQ(prepare().code, errc::not_allowed);
  asked.has_system = false;
  wish.system_prompt = "Be brief";
  rules.are_prompts_configured = true;
  EXPECT_EQ(prepare().code, errc::not_allowed);
}

TEST_F(completion_rules_test, take_messages_of_the_system_for_a_system_prompt) {
  asked.messages.push_back({chat_role::system, "Be kind", {}, {}});
  EXPECT_EQ(prepare().code, errc::none);
  EXPECT_EQ(q.request.system, "Be kind");
  EXPECT_EQ(q.request.messages.size(), 1u);
  asked.messages.push_back({chat_role::system, "Be evil", {}, {}});
  EXPECT_EQ(prepare().code, errc::not_allowed);
  EXPECT_EQ(q.request.system, "Be kind\nBe evil");
}

TEST_F(completion_rules_test, permit_only_models_that_are_configured) {
  asked.model = "n";
  EXPECT_EQ(prepare().code, errc::none);
  EXPECT_EQ(q.request.model, "n");
  asked.model = "expensive";
  auto why = prepare();
  EXPECT_EQ(why.code, errc::not_allowed);
  EXPECT_NE(
    why.message.find("Model 'expensive' not in allowlist (sampling.allowedModels.anthropic). Allowed models: m, n"),
    std::string::npos);
  EXPECT_EQ(q.request.model, "expensive") << "the record says so";
}

TEST_F(completion_rules_test, let_a_run_narrow_the_models) {
  wish.has_models = true;
  wish.models = {"n", "expensive"};
  EXPECT_EQ(prepare().code, errc::none);
  EXPECT_EQ(q.request.model, "n") << "the first that it may ask, though the provider's own is another";
  asked.model = "m";
  EXPECT_NE(prepare().message.find("allowedSamplingModels, "), std::string::npos);
  asked.model = "expensive";
  EXPECT_EQ(prepare().code, errc::not_allowed);
  asked.model = {};
  wish.models = {};
  EXPECT_EQ(prepare().code, errc::not_allowed);
}

TEST_F(completion_rules_test, choose_anew_for_another_route) {
  asked.model = "n";
  ASSERT_EQ(prepare().code, errc::none);
  sampling::model_route other;
  other.model = "o";
  other.models = {"o"};
  q.route = std::make_shared<const sampling::model_route>(other);
  EXPECT_EQ((sampling::completion_rules{rules, wish}.choose_model(q).code), errc::not_allowed)
    << "it named one that this route has not";
  q.named = {};
  EXPECT_EQ((sampling::completion_rules{rules, wish}.choose_model(q).code), errc::none);
  EXPECT_EQ(q.request.model, "o");
}

TEST_F(completion_rules_test, refuse_tools_that_the_route_does_not_take) {
  asked.tools = {"*"};
  EXPECT_EQ(prepare().code, errc::none);
  route.takes_tools = false;
  EXPECT_EQ(prepare().code, errc::invalid_argument);
}

} // namespace sampling_completion_rules_test
