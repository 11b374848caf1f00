// The whole server under plans of chance: docs/testing.md, "The simulation". `./dev simulate` plays more of them.
#include "tests/simulation/simulation.hpp"

#include "tests/simulation/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace simulation {

namespace {

constexpr uint64_t seeds_of_a_test = 50;
constexpr int tests_count = 20;

std::string told(const plan& of) {
  std::string out = "simulate --plan \"" + to_text(of) + "\"";
  for (auto& mistake : play(of).mistakes)
    out += "\n  " + mistake;
  return out;
}

class simulation_test : public ::testing::TestWithParam<int> {};

} // namespace

TEST_P(simulation_test, the_server_keeps_what_it_promises) {
  auto first = static_cast<uint64_t>(GetParam()) * seeds_of_a_test;
  for (auto seed = first; seed < first + seeds_of_a_test; ++seed) {
    auto whole = plan_of(seed);
    if (play(whole).mistakes.empty())
      continue;
    auto fails = [](const plan& part) { return !play(part).mistakes.empty(); };
    ADD_FAILURE() << "seed " << seed << " fails; the shortest part of it: " << told(shrunk(whole, fails, 200));
    return;
  }
}
INSTANTIATE_TEST_SUITE_P(seeds, simulation_test, ::testing::Range(0, tests_count));

TEST(simulation_plans, the_same_plan_happens_in_the_same_way) {
  for (uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_EQ(play(plan_of(seed)).digest, play(plan_of(seed)).digest) << seed;
}

TEST(simulation_plans, a_plan_is_read_as_it_was_written) {
  auto what = plan_of(17);
  auto read = read_plan(to_text(what));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->seed, 17u);
  EXPECT_EQ(read->steps, what.steps);
  EXPECT_FALSE(read_plan("17: run.1 dance.2"));
  EXPECT_FALSE(read_plan("17: run.x"));
  EXPECT_FALSE(read_plan("run.1"));
}

TEST(simulation_plans, a_failing_plan_is_shrunk_to_the_steps_that_matter) {
  auto what = plan_of(3);
  auto first = what.steps.at(2), second = what.steps.at(11);
  auto fails = [&](const plan& p) {
    auto has = [&](const step& s) { return std::find(p.steps.begin(), p.steps.end(), s) != p.steps.end(); };
    return has(first) && has(second);
  };
  EXPECT_EQ(shrunk(what, fails).steps, (std::vector{first, second}));
}

} // namespace simulation
