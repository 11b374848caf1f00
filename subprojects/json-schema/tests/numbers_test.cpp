#include "numbers.hpp"

#include "equality.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <limits>

namespace {

using boost::json::parse;
using boost::json::value;
using namespace json_schema;

TEST(numbers, compare_across_types_without_rounding) {
  EXPECT_EQ(compare_numbers(parse("9007199254740993"), value(9007199254740992.0)), std::partial_ordering::greater);
  EXPECT_EQ(compare_numbers(parse("18446744073709551615"), value(18446744073709551616.0)), std::partial_ordering::less);
  EXPECT_EQ(compare_numbers(parse("-9223372036854775808"), value(-9223372036854775808.0)),
            std::partial_ordering::equivalent);
  EXPECT_EQ(compare_numbers(parse("-1"), parse("18446744073709551615")), std::partial_ordering::less);
  EXPECT_EQ(compare_numbers(parse("18446744073709551615"), parse("-1")), std::partial_ordering::greater);
  EXPECT_EQ(compare_numbers(parse("1"), parse("1.5")), std::partial_ordering::less);
  EXPECT_EQ(compare_numbers(parse("1.5"), parse("1")), std::partial_ordering::greater);
  EXPECT_EQ(compare_numbers(parse("-2"), parse("-1.5")), std::partial_ordering::less);
  EXPECT_EQ(compare_numbers(parse("1"), parse("1.0")), std::partial_ordering::equivalent);
}

TEST(numbers, multiples_are_those_of_decimals) {
  EXPECT_TRUE(is_multiple(parse("19.99"), parse("0.01")));
  EXPECT_TRUE(is_multiple(parse("0.0075"), parse("0.0001")));
  EXPECT_FALSE(is_multiple(parse("0.00751"), parse("0.0001")));
  EXPECT_TRUE(is_multiple(parse("4.5"), parse("1.5")));
  EXPECT_TRUE(is_multiple(parse("1e308"), parse("0.5")));
  EXPECT_FALSE(is_multiple(parse("1e308"), parse("0.123456789")));
  EXPECT_TRUE(is_multiple(parse("18446744073709551615"), parse("5")));
  EXPECT_FALSE(is_multiple(parse("18446744073709551614"), parse("5")));
  EXPECT_TRUE(is_multiple(parse("-9223372036854775808"), parse("1024")));
  EXPECT_TRUE(is_multiple(parse("0"), parse("7")));
  EXPECT_TRUE(is_multiple(parse("-0.3"), parse("0.1")));
  EXPECT_FALSE(is_multiple(parse("35"), parse("1e1")));
  EXPECT_TRUE(is_multiple(parse("30"), parse("1e1")));
}

TEST(numbers, infinite_ones_are_no_integers_and_no_multiples) {
  value infinite(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(is_integer(infinite));
  EXPECT_FALSE(is_multiple(infinite, parse("1")));
}

TEST(equality, equal_values_have_equal_hashes) {
  for (auto [a, b] :
       {std::pair{"1", "1.0"}, {"{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}"}, {"-0.0", "0"}, {"\"x\"", "\"x\""}}) {
    budget steps{1'000};
    EXPECT_TRUE(equal(parse(a), parse(b), steps)) << a;
    EXPECT_EQ(hash(parse(a)), hash(parse(b))) << a;
  }
}

TEST(equality, kinds_differ) {
  for (auto [a, b] :
       {std::pair{"1", "true"}, {"0", "false"}, {"[0]", "[false]"}, {"{}", "[]"}, {"\"1\"", "1"}, {"null", "0"}}) {
    budget steps{1'000};
    EXPECT_FALSE(equal(parse(a), parse(b), steps)) << a;
  }
}

TEST(equality, stops_when_the_budget_is_used_up) {
  budget steps{3};
  EXPECT_FALSE(equal(parse("[1,2,3,4]"), parse("[1,2,3,4]"), steps));
  EXPECT_TRUE(steps.is_stopped());
}

} // namespace
