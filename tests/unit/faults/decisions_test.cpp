#include "faults/decisions.hpp"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using faults::moment;

faults::plan plan_of(std::string_view text) {
  auto got = faults::read_plan(msg::document::parse(text).value);
  EXPECT_TRUE(got.ok()) << got.told();
  return std::move(got.plan);
}

/// Numbers of the calls that are hit, of so many.
std::vector<uint64_t> hits(std::string_view rule, uint64_t calls, uint64_t seed = 1) {
  faults::decisions what{plan_of(R"({"seed":)" + std::to_string(seed) + R"(,"rules":[)" + std::string{rule} + "]}")};
  std::vector<uint64_t> out;
  for (uint64_t i = 0; i < calls; ++i)
    if (auto next = what.next("mcp__kid__echo", moment::call); next.is_hit())
      out.push_back(next.number);
  return out;
}

constexpr auto many_rules = R"({"seed":42,"rules":[
  {"match":"*","kind":"latency","probability":0.2,"p50":10,"p99":100},
  {"match":"mcp__a__*","kind":"error","probability":0.1,"times":20},
  {"match":"mcp__b__*","kind":"timeout","every":7,"after":3},
  {"match":"*__x3","kind":"crash","nth":5},
  {"match":"*","kind":"empty","probability":0.05}]})";

struct told {
  const char* delay;
  const char* fault;
  int64_t ms;
  bool operator==(const told&) const = default;
};

} // namespace

TEST(fault_decisions, select_by_number) {
  EXPECT_EQ(hits(R"({"match":"*","kind":"error","nth":3})", 10), (std::vector<uint64_t>{3}));
  EXPECT_EQ(hits(R"({"match":"*","kind":"error","every":4})", 10), (std::vector<uint64_t>{4, 8}));
  EXPECT_EQ(hits(R"({"match":"*","kind":"error","every":4,"after":1})", 10), (std::vector<uint64_t>{5, 9}));
  EXPECT_EQ(hits(R"({"match":"*","kind":"error","times":2})", 10), (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(hits(R"({"match":"*","kind":"error","after":8})", 10), (std::vector<uint64_t>{9, 10}));
  EXPECT_EQ(hits(R"({"match":"mcp__other__*","kind":"error"})", 10), (std::vector<uint64_t>{}));
  EXPECT_EQ(hits(R"({"match":"*","kind":"error","on":"start"})", 10), (std::vector<uint64_t>{}));
}

TEST(fault_decisions, hit_as_often_as_they_should) {
  auto hit = hits(R"({"match":"*","kind":"error","probability":0.1})", 10'000);
  EXPECT_GT(hit.size(), 900U);
  EXPECT_LT(hit.size(), 1'100U);
  EXPECT_TRUE(hits(R"({"match":"*","kind":"error","probability":0})", 1'000).empty());
  EXPECT_NE(hits(R"({"match":"*","kind":"error","probability":0.1})", 100, 1),
            hits(R"({"match":"*","kind":"error","probability":0.1})", 100, 2));
}

// Worked out by another program: whoever changes these changes the plans of all users.
TEST(fault_decisions, are_the_same_on_every_machine) {
  EXPECT_DOUBLE_EQ(faults::chance(1, 0, "mcp__kid__echo", 1), 0.762255827983261);
  EXPECT_EQ(hits(R"({"match":"*","kind":"error","probability":0.1})", 100),
            (std::vector<uint64_t>{2, 16, 21, 56, 59, 60, 61, 62, 63, 70, 83}));
}

TEST(fault_decisions, do_not_depend_on_the_order_of_calls) {
  constexpr size_t calls = 10'000, names = 12;
  auto name_of = [](size_t i) {
    return std::string{i % 3 == 0 ? "mcp__a__x" : i % 3 == 1 ? "mcp__b__x" : "mcp__c__x"} + std::to_string(i);
  };
  std::vector<size_t> order;
  for (size_t i = 0; i < calls; ++i)
    order.push_back(i % names);
  std::map<std::string, std::vector<told>> first;
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 random{seed};
    std::shuffle(order.begin(), order.end(), random);
    faults::decisions what{plan_of(many_rules)};
    std::map<std::string, std::vector<told>> got;
    for (auto i : order) {
      auto next = what.next(name_of(i), moment::call);
      auto name = [](const faults::rule* by) { return by ? faults::facts_of(by->what).name.data() : ""; };
      got[name_of(i)].push_back({name(next.delay), name(next.fault), next.delayed_by.count()});
    }
    if (seed == 0)
      first = got;
    EXPECT_EQ(got, first) << "seed " << seed;
  }
  EXPECT_EQ(first.size(), names);
}

TEST(fault_decisions, a_delay_goes_together_with_one_other_and_the_first_is_told) {
  faults::decisions what{plan_of(R"({"rules":[{"match":"*","kind":"error"},{"match":"*","kind":"empty"},
    {"match":"*","kind":"latency","ms":50},{"match":"*","kind":"latency","ms":70}]})")};
  auto next = what.next("mcp__kid__echo", moment::call);
  ASSERT_TRUE(next.fault && next.delay);
  EXPECT_EQ(next.fault->what, faults::kind::error);
  EXPECT_EQ(next.delayed_by.count(), 50);
  EXPECT_EQ(next.told()->what, faults::kind::error);
}

TEST(fault_decisions, spread_delays_as_asked_for) {
  faults::decisions what{plan_of(R"({"rules":[{"match":"*","kind":"latency","p50":100,"p99":1000}]})")};
  std::vector<int64_t> delays;
  for (int i = 0; i < 10'000; ++i)
    delays.push_back(what.next("mcp__kid__echo", moment::call).delayed_by.count());
  std::sort(delays.begin(), delays.end());
  EXPECT_NEAR(double(delays[5'000]), 100, 10);
  EXPECT_NEAR(double(delays[9'900]), 1'000, 200);
}

TEST(fault_decisions, count_a_bounded_number_of_names) {
  faults::decisions what{plan_of(R"({"rules":[{"match":"*","kind":"error","nth":1}]})")};
  uint64_t hit = 0;
  for (size_t i = 0; i < faults::decisions::names_max + 100; ++i)
    hit += what.next("mcp__kid__" + std::to_string(i), moment::call).is_hit() ? 1 : 0;
  EXPECT_EQ(hit, faults::decisions::names_max + 1); // the others are one
}

TEST(fault_decisions, beyond_the_bound_hit_only_what_they_match) {
  faults::decisions what{plan_of(R"({"rules":[{"match":"mcp__kid__wanted","kind":"error"}]})")};
  for (size_t i = 0; i < faults::decisions::names_max + 10; ++i)
    EXPECT_FALSE(what.next("mcp__kid__" + std::to_string(i), moment::call).is_hit());
  EXPECT_TRUE(what.next("mcp__kid__wanted", moment::call).is_hit());
  EXPECT_FALSE(what.next("mcp__kid__other", moment::call).is_hit());
}
