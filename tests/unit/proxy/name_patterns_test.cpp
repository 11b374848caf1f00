#include "proxy/name_patterns.hpp"

#include "testing/cpu_time.hpp"
#include "tests/unit/support/naive_match.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace proxy_name_patterns_test {

using proxy::matches;
using proxy::name_patterns;

TEST(matches, follows_the_contract) {
  struct {
    const char *pattern, *name;
    bool yes;
  } const cases[] = {
    {"*", "mcp__fs__read", true},
    {"*", "", true},
    {"**", "x", true},
    {"", "", true},
    {"", "x", false},
    {"mcp__*", "mcp__fs__read", true},
    {"mcp__fs__*", "mcp__fs__read", true},
    {"mcp__fs__*", "mcp__fs__", true},
    {"mcp__fs__*", "mcp__fs2__read", false},
    {"mcp__fs__*", "mcp__fs", false},
    {"mcp__fs__read", "mcp__fs__read", true},
    {"mcp__fs__read", "mcp__fs__read_all", false},
    {"mcp__fs__read", "mcp__fs__rea", false},
    {"fs__read", "mcp__fs__read", false},
    {"read", "mcp__fs__read", false},
    {"mcp__FS__*", "mcp__fs__read", false},
    {"*__read", "mcp__fs__read", true},
    {"*read*", "mcp__fs__read_all", true},
    {"mcp__*__read", "mcp__a__b__read", true},
    {"mcp__*__read", "mcp__read", false},
    {"m*a*a*d", "mcp__a__bad", true},
    {"m*a*a*x", "mcp__a__bad", false},
    {"mcp__fs__rea?", "mcp__fs__read", false},
    {"mcp__fs__[r]ead", "mcp__fs__read", false},
    {"mcp__fs__re.d", "mcp__fs__read", false},
    {"mcp__fs__a*b", "mcp__fs__a*b", true},
    {"mcp__ümlaut__*", "mcp__ümlaut__x", true},
  };
  for (auto& c : cases)
    EXPECT_EQ(matches(c.pattern, c.name), c.yes) << c.pattern << " on " << c.name;
}

TEST(matches, agrees_with_its_definition) {
  test::random_values random{3};
  auto text = [&](std::string_view alphabet, size_t n_max) {
    std::string out;
    for (auto n = random.below(n_max + 1); n > 0; --n)
      out += alphabet[random.below(alphabet.size())];
    return out;
  };
  int hits = 0;
  for (int i = 0; i < 30'000; ++i) {
    auto pattern = text("ab**", 8), name = text("ab", 10);
    auto expected = test::naive_match(pattern, name);
    hits += expected;
    ASSERT_EQ(matches(pattern, name), expected) << pattern << " on " << name;
  }
  EXPECT_GT(hits, 1'000);
}

TEST(matches, is_fast_on_hostile_patterns) {
  std::string pattern, name(20'000, 'a');
  for (int i = 0; i < 250; ++i)
    pattern += "*a";
  auto start = test::cpu_time();
  EXPECT_FALSE(matches(pattern + "b", name));
  EXPECT_LT(test::cpu_time() - start, std::chrono::seconds{2});
}

TEST(name_patterns, agree_with_their_patterns_one_by_one) {
  test::random_values random{7};
  auto text = [&](std::string_view alphabet, size_t n_max) {
    std::string out;
    for (auto n = random.below(n_max + 1); n > 0; --n)
      out += alphabet[random.below(alphabet.size())];
    return out;
  };
  int hits = 0, tried = 0;
  for (int i = 0; i < 1'500; ++i) {
    std::vector<std::string> patterns;
    for (auto n = random.below(40); n > 0; --n)
      patterns.push_back(text(random.below(2) ? "abc*" : "abcabcabc*", 9));
    std::erase_if(patterns, [&](auto& p) { return p.find_first_not_of('*') == p.npos && random.below(10) > 0; });
    name_patterns all{{patterns.begin(), patterns.end()}};
    for (int k = 0; k < 20; ++k) {
      auto name = text("abc", 14);
      bool expected =
        std::any_of(patterns.begin(), patterns.end(), [&](auto& p) { return test::naive_match(p, name); });
      hits += expected;
      ++tried;
      ASSERT_EQ(all.match(name), expected) << name << " of " << testing::PrintToString(patterns);
    }
  }
  EXPECT_GT(hits, 1'000);
  EXPECT_GT(tried - hits, 1'000);
}

TEST(name_patterns, nothing_matches_none_and_everything_all) {
  EXPECT_TRUE(name_patterns{}.empty());
  EXPECT_FALSE(name_patterns{}.match(""));
  EXPECT_TRUE((name_patterns{{"a", "**"}}.match("xyz")));
  EXPECT_FALSE((name_patterns{{"**"}}.empty()));
  EXPECT_TRUE((name_patterns{{""}}.match("")));
  EXPECT_FALSE((name_patterns{{""}}.match("a")));
}

/// As an ordinary program and ordinary servers may have them; one by one this took 2.4 s without sanitizers.
TEST(name_patterns, a_thousand_are_held_against_20000_names_in_no_time) {
  std::vector<std::string> patterns;
  for (int i = 0; i < 1'000; ++i)
    patterns.push_back("mcp__*__*_" + std::to_string(i) + "_of_*");
  name_patterns all{{patterns.begin(), patterns.end()}};
  auto start = test::cpu_time();
  for (int i = 0; i < 20'000; ++i)
    EXPECT_FALSE(all.match("mcp__hk__get_item_of_list_" + std::to_string(i)));
  EXPECT_LT(test::cpu_time() - start, std::chrono::seconds{2});
}

/// One by one this took 53 s without sanitizers.
TEST(name_patterns, hostile_ones_are_held_against_long_names_in_no_time) {
  std::vector<std::string> patterns;
  for (int i = 1'000; i < 2'000; ++i)
    patterns.push_back("*" + std::string(245, 'a') + "b" + std::to_string(i));
  name_patterns all{{patterns.begin(), patterns.end()}};
  auto start = test::cpu_time();
  for (int i = 100'000; i < 100'250; ++i)
    EXPECT_FALSE(all.match(std::string(500, 'a') + std::to_string(i)));
  EXPECT_LT(test::cpu_time() - start, std::chrono::seconds{2});
}

/// Nothing is gained by three characters in a row here: all is tried.
TEST(name_patterns, one_name_takes_no_longer_than_its_length_times_the_patterns) {
  std::vector<std::string> patterns;
  for (int i = 0; i < 1'000; ++i)
    patterns.push_back("*ab*ab*ab*ab*" + std::string(1, static_cast<char>('A' + i % 50)) + "z");
  name_patterns all{{patterns.begin(), patterns.end()}};
  auto start = test::cpu_time();
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(all.match("ab" + std::string(500, 'z') + "ab"));
  EXPECT_LT(test::cpu_time() - start, std::chrono::seconds{2});
}

} // namespace proxy_name_patterns_test
