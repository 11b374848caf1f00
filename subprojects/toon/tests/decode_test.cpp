#include "toon/decode.hpp"

#include "json.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace toon::test {

namespace {

namespace json = boost::json;

std::string problem_of(std::string_view text, checks mode = checks::strict) {
  decode_options options;
  options.checks = mode;
  auto out = decode(text, options);
  return out.ok() ? "none: " + std::string{json::serialize(out.value).c_str()} : out.problem.text();
}

TEST(decode, says_where_and_what_was_expected) {
  struct {
    std::string_view text, problem;
  } const cases[] = {
    {"a: 1\n  b: 2", "line 2, column 3: expected less indentation: nothing above this line has it as its content"},
    {"a:\n   b: 2", "line 2, column 4: expected a multiple of 2 spaces for indentation, found 3"},
    {"a:\n\tb: 2", "line 2, column 1: expected spaces for indentation, found a tab"},
    {"a: 1\nhello", "line 2, column 6: expected ':' after a key, found 'hello'"},
    {"a: 1\n\"hello", "line 2, column 7: expected '\"' at the end of the string"},
    {": 1", "line 1, column 1: expected a key before ':'; the empty key is \"\""},
    {"a: \"b\\x\"", "line 1, column 7: expected one of \\\\ \\\" \\n \\r \\t \\uXXXX: no other escape exists"},
    {"a: \"b\" c", "line 1, column 7: expected nothing after the closing quote"},
    {"a: \"\\u12\"", "line 1, column 6: expected four hexadecimal digits after \\u"},
    {"a: \"\\ud83d\\ude00\"",
     "line 1, column 6: expected a character, found half of a surrogate pair: write the character itself"},
    {"a: 1\nb: 2\na: 3", "line 3, column 1: expected each key once in an object, found 'a' again"},
    {"x[3]:\n  - 1\n  - 2", "line 1, column 1: expected 3 list items, as the header says, found 2"},
    {"x[2]: 1,2,3", "line 1, column 7: expected 2 values, as the header says, found 3"},
    {"x[1]{a}:\n  1\n  2", "line 1, column 1: expected 1 rows, as the header says, found 2"},
    {"x[1]{a,b}:\n  1", "line 2, column 3: expected a cell for each of 2 fields of the header, found 1"},
    {"x[1]{a,b}:\n  1,2,3", "line 2, column 3: expected a cell for each of 2 fields of the header, found 3"},
    {"x[1:]{a}:\n  1", "line 2, column 4: expected ':' after a key, found '1'"},
    {"x[2]:\n  - 1\n\n  - 2",
     "line 4, column 3: expected no blank line before this one: it is inside an array or a table"},
    {"x[02]: 1,2", "line 1, column 3: expected a length in the brackets: digits, without zeros in front"},
    {"x[2,]: 1,2", "line 1, column 4: expected ']' after the length, or a tab or '|' before it"},
    {"x[2]{a,a}:", "line 1, column 8: expected each field once, found 'a' again"},
    {"x[2]{a|b}:", "line 1, column 7: expected '}', or ',' and another field"},
    {"x[2:]:", "line 1, column 6: expected '{' and the fields of the entries after ':]'"},
    {"x[2]{a}: 1", "line 1, column 9: expected nothing after the header of a table: its rows are lines of their own"},
    {"x [2]: 1,2", "line 1, column 3: expected '[' directly after the key, without white space"},
    {"x[2]y: 1,2", "line 1, column 5: expected ':' directly after the header"},
    {"a:\n  [1]: 2", "line 2, column 3: expected a key before '['"},
    {"[1]: 2\na: 1", "line 2, column 1: expected the end of the text after the value of the whole document"},
  };
  for (auto& c : cases)
    EXPECT_EQ(problem_of(c.text), c.problem);
}

TEST(decode, reads_integers_exactly_and_other_numbers_to_the_nearest_double) {
  EXPECT_EQ(decode("18446744073709551615").value, json::value(UINT64_MAX));
  EXPECT_EQ(decode("-9223372036854775808").value, json::value(INT64_MIN));
  EXPECT_EQ(decode("18446744073709551616").value, json::value(18446744073709551616.0));
  EXPECT_EQ(decode("0.1").value, json::value(0.1));
  EXPECT_EQ(decode("2.2250738585072011e-308").value, json::value(2.2250738585072011e-308));
  for (std::string_view zero : {"0", "-0", "-0.0", "0e9"})
    EXPECT_EQ(decode(zero).value.kind(), json::kind::int64) << zero;
}

TEST(decode, a_number_beyond_doubles_stays_text) {
  for (std::string_view text : {"1e999", "-1e999", "1e-999"})
    EXPECT_EQ(decode(text).value, json::value(json::string_view(text.data(), text.size())));
}

TEST(decode, a_byte_order_mark_is_dropped_at_the_beginning_only) {
  EXPECT_EQ(decode("\xEF\xBB\xBF"
                   "a: 1")
              .value,
            parsed(R"({"a":1})"));
  EXPECT_EQ(decode("a: \xEF\xBB\xBFx").value.at("a"), "\xEF\xBB\xBFx");
  EXPECT_EQ(problem_of("\xEF\xBB\xBF"
                       "a: 1\nb")
              .substr(0, 16),
            "line 2, column 2");
}

TEST(decode, lenient_reading_takes_what_is_there) {
  auto lenient = [](std::string_view text) { return problem_of(text, checks::lenient); };
  EXPECT_EQ(lenient("a[5]: 1,2"), R"(none: {"a":[1,2]})");
  EXPECT_EQ(lenient("a[1]{x,y{z},w}:\n  1\n  1,2,3,4"), R"(none: {"a":[{"x":1,"y":{}},{"x":1,"y":{"z":2},"w":3}]})");
  EXPECT_EQ(lenient("a:\n      b: 1\n      c: 2\nd: 3"), R"(none: {"a":{"b":1,"c":2},"d":3})");
  EXPECT_EQ(lenient("a:\n\tb: 1"), R"(none: {"a":{"b":1}})");
}

/// The specification allows to skip such lines; then no reader would know what was lost.
TEST(decode, lenient_reading_loses_no_line) {
  for (std::string_view text : {"a: 1\n    b: 2", "a:\n    b: 1\n  c: 2", "[1]: 1\nx: 2", "m[1:]{v}:\n  a: 1\n  5",
                                "t[1]{a}:\n  1\n  x: 2", "a[1]:\n  - 1\n  b: 2"})
    EXPECT_TRUE(problem_of(text, checks::lenient).starts_with("line ")) << text;
}

TEST(decode, a_blank_line_belongs_to_the_array_around_it) {
  EXPECT_TRUE(problem_of("a[2]:\n  - b[1]:\n\n      - 1\n  - 2").starts_with("line 4"));
  EXPECT_TRUE(problem_of("a[1]:\n\n  - b:\n      c: 1\n\n      d: 2").starts_with("line 6"));
  EXPECT_TRUE(problem_of("a[1]:\n\n  - 1\n\nb[1]:\n\n  - 2\n\n").starts_with("none"));
}

TEST(decode, uses_the_storage_that_it_is_given) {
  auto storage = json::make_shared_resource<json::monotonic_resource>();
  auto out = decode("a[2]{b,c{d}}:\n  x,1\n  y,2", {}, storage);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(*out.value.storage(), *storage);
  EXPECT_EQ(*out.value.at("a").at(0).at("c").storage(), *storage);
}

} // namespace

} // namespace toon::test
