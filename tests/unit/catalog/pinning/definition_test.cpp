#include "catalog/pinning/definition.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace trust_definition_test {

using strings = std::vector<std::string>;

std::string canonical(const std::string& definition, const std::string& description = "") {
  return tool_pinning::canonical({"s", "t", description, test::doc(definition)});
}

strings between(const std::string& before, const std::string& after) {
  return tool_pinning::differing_parts(canonical(before), canonical(after));
}

TEST(trust_definition, the_order_of_keys_and_of_what_is_required_means_nothing) {
  EXPECT_EQ(
    canonical(
      R"({"inputSchema":{"type":"object","required":["a","b"],"properties":{"a":{},"b":{"x":1,"y":2}}},"description":"d"})"),
    canonical(
      R"({"description":"d","inputSchema":{"properties":{"b":{"y":2,"x":1},"a":{}},"required":["b","a"],"type":"object"}})"));
}

TEST(trust_definition, other_lists_keep_their_order) {
  EXPECT_NE(canonical(R"({"inputSchema":{"enum":["a","b"]}})"), canonical(R"({"inputSchema":{"enum":["b","a"]}})"));
  EXPECT_NE(canonical(R"({"inputSchema":{"required":[1,2]}})"), canonical(R"({"inputSchema":{"required":[2,1]}})"))
    << "it is no list of names";
}

TEST(trust_definition, a_property_of_any_name_is_compared) {
  EXPECT_NE(canonical(R"({"inputSchema":{"properties":{"required":{"description":"a"}}}})"),
            canonical(R"({"inputSchema":{"properties":{"required":{"description":"b"}}}})"));
}

TEST(trust_definition, every_part_that_reaches_a_model_is_told_apart) {
  EXPECT_EQ(between(R"({"title":"a"})", R"({"title":"b"})"), strings{"title"});
  EXPECT_EQ(between(R"({"description":"a"})", R"({"description":"a "})"), strings{"description"});
  EXPECT_EQ(between(R"({"inputSchema":{"type":"object"}})", R"({"inputSchema":{"type":"object","description":"x"}})"),
            strings{"input schema"});
  EXPECT_EQ(between(R"({})", R"({"outputSchema":{}})"), strings{"output schema"});
  EXPECT_EQ(between(R"({"annotations":{"readOnlyHint":true}})", R"({"annotations":{"readOnlyHint":false}})"),
            strings{"annotations"});
  EXPECT_EQ(between(R"({"description":"a","title":"x"})", R"({"description":"b"})"), (strings{"title", "description"}));
}

TEST(trust_definition, what_reaches_no_model_is_left_out) {
  EXPECT_EQ(canonical(R"({"name":"a","_meta":{"n":1},"icons":[1]})"), canonical(R"({"name":"b","_meta":{"n":2}})"));
}

TEST(trust_definition, the_description_that_is_shown_counts) {
  EXPECT_EQ(canonical(R"({"description":"a","inputSchema":{}})", "b"), canonical(R"({"inputSchema":{}})", "b"));
}

TEST(trust_definition, a_definition_that_is_no_object_has_a_description_only) {
  EXPECT_EQ(canonical("[1]", "d"), R"({"description":"d"})");
}

TEST(trust_definition, is_readable_line_by_line) {
  auto lines = tool_pinning::readable(
    canonical(R"({"description":"one\ntwo","inputSchema":{"type":"object","properties":{"a":{"enum":["x",1]}}}})"));
  EXPECT_EQ(lines, (strings{"description:", "  one", "  two", "input schema:", "  properties:", "    a:", "      enum:",
                            "        - x", "        - 1", "  type: object"}));
}

TEST(trust_definition, nothing_in_it_can_hide_or_steer_a_terminal) {
  auto line =
    tool_pinning::readable(canonical(R"({"description":"a\u001b[2Jb\u200bc\u202ed\udb40\udc41e\r"})")).front();
  EXPECT_EQ(line, "description: a\\u{1b}[2Jb\\u{200b}c\\u{202e}d\\u{e0041}e\\u{d}");
  EXPECT_EQ(tool_pinning::readable(canonical("{\"description\":\"naïve 日本 😀\"}")).front(),
            "description: naïve 日本 😀");
}

TEST(trust_definition, what_can_not_be_seen_is_written_out) {
  for (auto* text : {"\\u3164", "\\uffa0", "\\u2800", "\\u115f", "\\u1160", "\\u00a0", "\\u2000", "\\u2003",
                     "\\u200a", "\\u200f", "\\u2028", "\\u202f", "\\u205f", "\\u206f", "\\u3000", "\\ufeff",
                     "\\u180b", "\\u180e", "\\u034f", "\\ufe00", "\\ufe0f", "\\ufff9", "\\ufffb", "\\u1680"}) {
    auto line = tool_pinning::readable(canonical(R"({"description":"a)" + std::string{text} + R"(b"})")).front();
    auto digits = std::string{text + 2};
    digits.erase(0, digits.find_first_not_of('0'));
    EXPECT_EQ(line, "description: a\\u{" + digits + "}b");
  }
  EXPECT_EQ(tool_pinning::visible("\U0001D173\U0001D17A\U0001BCA0\U0001BCA3\U000E0000\U000E0FFF"),
            "\\u{1d173}\\u{1d17a}\\u{1bca0}\\u{1bca3}\\u{e0000}\\u{e0fff}");
  EXPECT_EQ(tool_pinning::visible("\u2010\u2030\u2801\u3001\u1161 a"), "\u2010\u2030\u2801\u3001\u1161 a")
    << "the next ones can be seen";
}

} // namespace trust_definition_test
