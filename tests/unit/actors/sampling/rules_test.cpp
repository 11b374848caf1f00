#include "actors/sampling/rules.hpp"

#include <gtest/gtest.h>

namespace sampling_rules_test {

using msg::errc;

TEST(may_sample, says_what_to_do) {
  sampling::rules rules;
  rules.no_provider = "no provider is configured: set ANTHROPIC_API_KEY";
  msg::run_request run;
  EXPECT_EQ(sampling::may_sample(rules, run).message, "Sampling not enabled. Pass enableSampling: true");
  run.sampling.enabled = msg::sampling_switch::on;
  auto nobody = sampling::may_sample(rules, run);
  EXPECT_EQ(nobody.code, errc::model_failed);
  EXPECT_NE(nobody.message.find("ANTHROPIC_API_KEY"), std::string::npos);
  run.abilities.samples = true;
  EXPECT_EQ(sampling::may_sample(rules, run).code, errc::none);
  rules.may_be_asked = false;
  EXPECT_NE(sampling::may_sample(rules, run).message.find("sampling.enabled"), std::string::npos);
  rules = {};
  rules.enabled = true;
  run.sampling.enabled = msg::sampling_switch::off;
  EXPECT_EQ(sampling::may_sample(rules, run).code, errc::not_allowed);
}

TEST(limits_of, a_run_are_lowered_only) {
  sampling::rules rules;
  rules.limits = {10, 10'000};
  msg::sampling_options wish;
  EXPECT_EQ(sampling::limits_of(rules, wish).rounds, 10u);
  wish.rounds_max = 3;
  wish.tokens_max = 1'000'000;
  EXPECT_EQ(sampling::limits_of(rules, wish).rounds, 3u);
  EXPECT_EQ(sampling::limits_of(rules, wish).tokens, 10'000u);
}

} // namespace sampling_rules_test
