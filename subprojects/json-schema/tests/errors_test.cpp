#include "json_schema/schema.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using boost::json::parse;
using namespace json_schema;

std::vector<error> errors_of(std::string_view schema_text, std::string_view instance,
                             const validate_limits& limits = {}) {
  auto compiled = compile(parse(schema_text));
  EXPECT_TRUE(std::holds_alternative<schema>(compiled)) << schema_text;
  return std::get<schema>(compiled).validate(parse(instance), limits).errors;
}

std::string only_error(std::string_view schema_text, std::string_view instance) {
  auto found = errors_of(schema_text, instance);
  EXPECT_EQ(found.size(), 1U) << schema_text;
  return found.empty() ? "" : found[0].text();
}

TEST(errors, say_where_what_was_expected_and_what_was_given) {
  auto found = errors_of(R"({"properties": {"a/b": {"items": {"type": "integer"}}}})", R"({"a/b": [1, "x"]})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].instance_path, "/a~1b/1");
  EXPECT_EQ(found[0].schema_path, "#/properties/a~1b/items/type");
  EXPECT_EQ(found[0].keyword, "type");
  EXPECT_EQ(found[0].expected, "an integer");
  EXPECT_EQ(found[0].given, "\"x\"");
}

TEST(errors, name_the_place_behind_a_reference) {
  auto found =
    errors_of(R"({"$defs": {"p": {"minimum": 3}}, "properties": {"a": {"$ref": "#/$defs/p"}}})", R"({"a": 2})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].schema_path, "#/$defs/p/minimum");
  EXPECT_EQ(found[0].text(), "/a: expected at least 3, given 2");
}

TEST(errors, guess_what_was_meant) {
  auto* tool = R"({"type": "object", "properties": {"path": {"type": "string"}, "max_results": {"type": "integer"}},
                   "required": ["path"], "additionalProperties": false})";
  auto found = errors_of(tool, R"({"pth": "x", "maxResults": 1})");
  ASSERT_EQ(found.size(), 3U);
  std::sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.keyword > b.keyword; });
  EXPECT_EQ(found[0].keyword, "required");
  EXPECT_EQ(found[0].names, std::vector<std::string>{"path"});
  EXPECT_EQ(found[0].meant, "pth");
  std::string all;
  for (auto& e : found)
    all += e.text() + "\n";
  EXPECT_NE(all.find("did you mean \"path\"?"), std::string::npos) << all;
  EXPECT_NE(all.find("did you mean \"max_results\"?"), std::string::npos) << all;
  EXPECT_NE(all.find("the missing property \"path\""), std::string::npos) << all;
  EXPECT_EQ(only_error(R"({"enum": ["ascending", "descending"]})", R"("asending")"),
            "expected one of \"ascending\" or \"descending\", given \"asending\" (did you mean \"ascending\"?)");
  EXPECT_EQ(only_error(R"({"type": "integer"})", R"("5")"),
            "expected an integer, given \"5\" (give the number without quotes)");
}

TEST(errors, of_alternatives_are_those_of_the_nearest) {
  EXPECT_EQ(only_error(R"({"anyOf": [{"type": "string"}, {"type": "null"}]})", "5"),
            "expected a string or null, given 5");
  auto* shapes =
    R"({"oneOf": [{"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
                               {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]}]})";
  EXPECT_EQ(only_error(shapes, R"({"kind": "square", "side": "2"})"),
            "/side: expected a number, given \"2\" (give the number without quotes)");
  EXPECT_NE(only_error(R"({"oneOf": [{"minimum": 1}, {"minimum": 2}]})", "3").find("both 0 and 1 fit"),
            std::string::npos);
}

TEST(errors, are_few_and_short) {
  validate_limits limits;
  limits.errors = 3;
  EXPECT_EQ(errors_of(R"({"items": {"type": "string"}})", "[1,2,3,4,5,6,7,8,9]", limits).size(), 3U);
  auto found = errors_of(R"({"type": "string"})", "[\"" + std::string(100'000, 'x') + "\"]");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LE(found[0].given.size(), 83U);
}

TEST(errors, of_unevaluated_properties_name_them) {
  auto found =
    errors_of(R"({"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false})", R"({"a": 1, "b": 2})");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].instance_path, "/b");
}

TEST(errors, list_what_is_missing) {
  EXPECT_EQ(only_error(R"({"required": ["a", "b", "c"]})", R"({"b": 1})"),
            "expected the missing properties \"a\" and \"c\", given {\"b\":1}");
  EXPECT_EQ(only_error(R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1})"),
            "expected the missing property \"b\", because there is \"a\", given {\"a\":1}");
}

} // namespace
