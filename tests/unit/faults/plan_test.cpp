#include "faults/plan.hpp"
#include "faults/presets.hpp"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

namespace {

faults::plan_reading read(std::string_view text) { return faults::read_plan(msg::document::parse(text).value); }

std::string problem_of_rule(std::string_view rule) {
  return read(R"({"seed":1,"rules":[)" + std::string{rule} + "]}").told();
}

} // namespace

TEST(fault_plan, takes_what_the_documentation_shows) {
  auto got = read(R"({"seed": 7, "rules": [
    {"match": "mcp__github__*", "kind": "latency", "p50": 200, "p99": 2000},
    {"match": ["mcp__a__b", "mcp__c__*"], "kind": "error", "code": -32000, "message": "no", "nth": 3},
    {"match": "*", "kind": "timeout", "effect": "done", "every": 10, "after": 5, "times": 2},
    {"match": "*", "kind": "tool_gone", "on": "list", "tool": "search"},
    {"match": "llm__*", "kind": "error", "on": "model"}]})");
  ASSERT_TRUE(got.ok()) << got.told();
  EXPECT_EQ(got.plan.seed, 7U);
  ASSERT_EQ(got.plan.rules.size(), 5U);
  EXPECT_EQ(got.plan.rules[0].p99.count(), 2000);
  EXPECT_EQ(got.plan.rules[1].match.size(), 2U);
  EXPECT_EQ(got.plan.rules[1].nth, 3U);
  EXPECT_EQ(got.plan.rules[2].landed, faults::effect::done);
  EXPECT_EQ(got.plan.rules[3].when, faults::moment::list);
  EXPECT_EQ(got.plan.rules[4].code, 500);
}

TEST(fault_plan, says_where_and_what_is_wrong) {
  EXPECT_TRUE(read("[]").told().starts_with("a plan is an object"));
  EXPECT_EQ(read("{}").told(), "rules: missing: a plan has rules, or a preset");
  EXPECT_EQ(read(R"({"rules":[],"sed":1})").told(),
            "sed: unknown; did you mean 'seed'? (a plan takes seed, rules, preset)");
  EXPECT_TRUE(problem_of_rule(R"({"match":"*","kind":"latancy"})")
                .starts_with("rules[0].kind: no kind of fault; did you mean 'latency'?"));
  EXPECT_TRUE(problem_of_rule(R"({"kind":"latency"})").starts_with("rules[0].match: missing"));
  EXPECT_TRUE(problem_of_rule(R"({"match":[],"kind":"latency"})").starts_with("rules[0].match: a pattern"));
  EXPECT_TRUE(problem_of_rule(R"({"match":"*","kind":"latency","bytes":5})").starts_with("rules[0].bytes: unknown"));
  EXPECT_EQ(problem_of_rule(R"({"match":"*","kind":"error","probability":1.5})"),
            "rules[0].probability: a number from 0 to 1 is expected");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","kind":"error","nth":0})"),
            "rules[0].nth: a whole number from 1 to 9007199254740992 is expected");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","kind":"error","nth":1,"every":2})"),
            "rules[0]: only one of probability, nth and every says which calls are hit");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","kind":"latency","p50":5})"), "rules[0]: p50 and p99 belong together");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","kind":"latency","p50":5,"p99":4})"), "rules[0].p99: it is not below p50");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","kind":"reorder","on":"start"})"),
            "rules[0].on: reorder is only for: call");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","kind":"error","effect":"half"})"),
            "rules[0].effect: one of none, done is expected");
  EXPECT_TRUE(problem_of_rule(R"({"match":"*","kind":"tool_gone","on":"list"})").starts_with("rules[0].tool: missing"));
  EXPECT_TRUE(
    problem_of_rule(R"({"match":"*","kind":"tool_gone","tool":"x"})").starts_with("rules[0].tool: only with"));
  EXPECT_EQ(problem_of_rule(R"("all")"), "rules[0]: a rule is an object");
  EXPECT_EQ(problem_of_rule(R"({"match":"llm__*","kind":"refusal"})"), "rules[0].on: refusal is only for: model");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","on":"login","kind":"unauthorized","as":"result"})"),
            "rules[0].as: not with \"on\": \"login\"");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","kind":"wrong_scope"})"), "rules[0].on: wrong_scope is only for: login");
  EXPECT_EQ(problem_of_rule(R"({"match":"*","on":"model","kind":"timeout","effect":"done"})"),
            "rules[0].effect: not with \"on\": \"model\"");
  EXPECT_TRUE(problem_of_rule(R"({"match":"*","on":"model","kind":"error","code":-32603})")
                .starts_with("rules[0].code: with \"on\": \"model\" a status"));
  EXPECT_TRUE(
    problem_of_rule(R"({"match":"*","on":"model","kind":"crash"})").starts_with("rules[0].on: crash is only"));
}

TEST(fault_plan, quotes_of_a_hostile_one_only_the_beginning) {
  auto long_key = std::string(100'000, 'k');
  EXPECT_LT(problem_of_rule(R"({"match":"*","kind":"error",")" + long_key + R"(":1})").size(), 500U);
}

TEST(fault_plan, has_presets_that_are_plans) {
  EXPECT_EQ(faults::preset_names().size(), 5U);
  for (auto name : faults::preset_names()) {
    auto got = read(R"({"seed":1,"preset":")" + std::string{name} + "\"}");
    EXPECT_TRUE(got.ok()) << name << ": " << got.told();
    EXPECT_FALSE(got.plan.rules.empty());
    EXPECT_FALSE(faults::preset_summary(name).empty());
  }
  EXPECT_TRUE(read(R"({"preset":"flakey"})").told().starts_with("preset: one of brownout"));
}

TEST(fault_plan, its_own_rules_come_before_those_of_the_preset) {
  auto got = read(R"({"preset":"flaky","rules":[{"match":"*","kind":"hang"}]})");
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.plan.rules.front().what, faults::kind::hang);
  EXPECT_GT(got.plan.rules.size(), 1U);
}
