#include "toon/encode.hpp"

#include "json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace toon::test {

namespace {

namespace json = boost::json;

std::string text_of(const json::value& value) {
  auto out = encode(value);
  return out.ok() ? out.text : "problem: " + out.problem;
}

TEST(encode, writes_numbers_exactly_and_without_exponent) {
  struct {
    json::value number;
    std::string text;
  } const cases[] = {
    {0.1, "0.1"},
    {-0.0, "0"},
    {1.0, "1"},
    {-2.5, "-2.5"},
    {1e-7, "0.0000001"},
    {1e21, "1000000000000000000000"},
    {0.1 + 0.2, "0.30000000000000004"},
    {5e-324, "0." + std::string(323, '0') + "5"},
    {std::numeric_limits<int64_t>::min(), "-9223372036854775808"},
    {std::numeric_limits<uint64_t>::max(), "18446744073709551615"},
    {std::nan(""), "null"},
    {std::numeric_limits<double>::infinity(), "null"},
    {-std::numeric_limits<double>::infinity(), "null"},
  };
  for (auto& c : cases)
    EXPECT_EQ(text_of(c.number), c.text);
  EXPECT_EQ(text_of(std::numeric_limits<double>::max()).size(), 309u);
}

TEST(encode, rows_may_have_their_keys_in_another_order) {
  EXPECT_EQ(text_of(parsed(R"({"a":[{"x":1,"y":{"p":2,"q":3}},{"y":{"q":5,"p":4},"x":6}]})")),
            "a[2]{x,y{p,q}}:\n  1,2,3\n  6,4,5");
}

TEST(encode, a_byte_order_mark_at_the_beginning_is_quoted) { EXPECT_EQ(text_of("\xEF\xBB\xBFx"), "\"\xEF\xBB\xBFx\""); }

TEST(encode, a_list_in_a_list_is_no_table) {
  EXPECT_EQ(text_of(parsed(R"([[{"a":1},{"a":2}],[{"b":{"c":1,"d":{}}}]])")),
            "[2]:\n  - [2]:\n    - a: 1\n    - a: 2\n  - [1]:\n    - b:\n        c: 1\n        d:");
}

TEST(encode, strings_that_are_no_utf8_are_a_problem) {
  for (auto& value : {json::value("a\xFF"), json::value({{"k\xC0", 1}}), json::value(json::array{"\xED\xA0\x80"}),
                      json::value(json::array{{{"k\x80", 1}}, {{"k\x80", 2}}})})
    EXPECT_TRUE(text_of(value).starts_with("problem: a string is no UTF-8")) << text_of(value);
  EXPECT_EQ(encode("a\xFF").text, "");
}

json::value nested(size_t depth, bool in_arrays) {
  json::value out = 1;
  for (size_t i = 0; i < depth; ++i)
    out = in_arrays ? json::value(json::array{std::move(out)}) : json::value{{"k", std::move(out)}};
  return out;
}

TEST(encode, nesting_is_bounded) {
  encode_options options;
  options.depth_max = 10;
  for (bool in_arrays : {false, true}) {
    EXPECT_TRUE(encode(nested(10, in_arrays), options).ok());
    EXPECT_EQ(encode(nested(11, in_arrays), options).problem, "the value is nested deeper than depth_max");
    EXPECT_FALSE(encode(nested(depth_max_default + 1, in_arrays)).ok());
  }
  EXPECT_TRUE(encode(json::array{nested(8, false)}, options).ok()); // as a table
  EXPECT_FALSE(encode(json::array{nested(10, false)}, options).ok());
}

TEST(encode, its_output_is_bounded) {
  encode_options options;
  options.text_bytes_max = 1'000;
  for (auto& value : {json::value(json::array(600, 1)), json::value(json::array(400, {{"a", 1}})),
                      json::value(json::array(300, json::array{})), json::value(std::string(1'001, 'x'))})
    EXPECT_EQ(encode(value, options).problem, "the text would be longer than text_bytes_max");
  EXPECT_TRUE(encode(json::array(400, 1), options).ok());
}

TEST(encode, spaces_of_indentation_have_a_range) {
  encode_options options;
  options.indent_spaces = 0;
  EXPECT_EQ(encode({{"a", {{"b", 1}}}}, options).text, "a:\n b: 1");
  options.indent_spaces = 1'000'000'000;
  EXPECT_EQ(encode({{"a", {{"b", 1}}}}, options).text, "a:\n" + std::string(indent_spaces_max, ' ') + "b: 1");
}

} // namespace

} // namespace toon::test
