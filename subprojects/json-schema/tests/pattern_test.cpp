#include "pattern.hpp"

#include "ecma_pattern.hpp"

#include <gtest/gtest.h>

namespace {

using namespace json_schema;

bool matches(std::string_view ecma, std::string_view text) {
  pattern p;
  EXPECT_EQ(p.compile(ecma), "") << ecma;
  validate_limits limits;
  match_space space{limits};
  budget steps{limits.steps};
  bool out = p.matches(text, space, steps);
  EXPECT_FALSE(steps.is_stopped()) << ecma;
  return out;
}

TEST(patterns, mean_what_they_mean_in_ecma) {
  struct {
    std::string_view ecma, yes, no;
  } const all[] = {
    {"^a$", "a", "a\n"},
    {"^.$", "x", "\n"},
    {"^.$", "🐲", "\xe2\x80\xa8"},
    {"^[^]$", "\n", ""},
    {"^\\u{1F432}$", "🐲", "x"},
    {"^\\uD83D\\uDC32$", "🐲", "x"},
    {"^[\\uD83D\\uDC32-\\uD83D\\uDC35]$", "🐳", "🐱"},
    {"^\\x41\\u0042\\cJ$", "AB\n", "AB"},
    {"^[\\d\\-\\]]+$", "1-]", "a"},
    {"^[\\w.-]+$", "a.b-c", "a b"},
    {"^[\\S]+$", "ab", "a\xc2\xa0"},
    {"^(?<year>\\d{4})-\\k<year>$", "2024-2024", "2024-2025"},
    {"^(a)|\\1b$", "b", "c"},
    {"\\bcat\\b", "a cat!", "concat"},
    {"^{.*}$", "{x}", "x"},
    {"^a{2,3}?$", "aa", "a"},
    {"^(?=.*\\d)(?!.*x).+$", "a1", "a1x"},
    {"(?<=\\$)\\d+", "$5", "5"},
    {"^\\p{Lu}\\P{Lu}$", "Ab", "ab"},
    {"^\\p{Script=Greek}+$", "αβ", "ab"},
    {"^[[:alpha:]]$", ":]", "x"},
    {"^\\/\\@\\#$", "/@#", "x"},
    {"^a #b$", "a #b", "ab"},
  };
  for (auto& one : all) {
    EXPECT_TRUE(matches(one.ecma, one.yes)) << one.ecma;
    EXPECT_FALSE(matches(one.ecma, one.no)) << one.ecma;
  }
}

TEST(patterns, of_other_flavours_are_refused) {
  for (std::string_view ecma :
       {"(?i)a",       "(?P<n>a)", "(?#x)a", "a++",  "*a",     "(*UTF)a", "(*ACCEPT)",      "\\a",
        "\\Qa",        "\\1",      "(a",     "a)",   "[a",     "[z-a]",   "a{3,2}",         "a{99999}",
        "\\",          "(?>a)",    "(?|a)",  "(?R)", "\\k<x>", "(?<1>a)", "(?<n>a)(?<n>b)", "\\p{Nonsense}x}",
        "\\u{110000}", "\\c1",     "^*",     "\xff"}) {
    pattern p;
    EXPECT_NE(p.compile(ecma), "") << ecma;
  }
}

TEST(patterns, what_is_valid_but_not_supported_says_so) {
  EXPECT_EQ(translate("(?<=a+)b").problem, "");
  pattern p;
  EXPECT_TRUE(p.compile("(?<=a+)b").starts_with("not supported")) << p.compile("(?<=a+)b");
  EXPECT_NE(p.compile("\\p{No_Such_Property}").find("not supported"), std::string::npos);
}

TEST(patterns, catastrophic_ones_are_stopped) {
  for (std::string_view ecma : {"^(a+)+$", "^(a|a)*$", "^(.*?,){20}P$", "^(([a-z])+.)+[A-Z]([a-z])+$"}) {
    pattern p;
    ASSERT_EQ(p.compile(ecma), "");
    validate_limits limits;
    match_space space{limits};
    budget steps{limits.steps};
    EXPECT_FALSE(p.matches(std::string(60, 'a') + "!", space, steps)) << ecma;
  }
}

TEST(patterns, pay_for_their_steps) {
  pattern p;
  ASSERT_EQ(p.compile("^(a+)+$"), "");
  validate_limits limits;
  limits.pattern_steps = 100'000;
  match_space space{limits};
  budget steps{10'000};
  EXPECT_FALSE(p.matches(std::string(60, 'a') + "!", space, steps));
  EXPECT_TRUE(steps.is_stopped());
}

TEST(patterns, bytes_that_are_no_text_match_nothing) { EXPECT_FALSE(matches("^.*$", "\xff\xfe")); }

} // namespace
