// Schemas and instances made to take all time or memory: each ends soon, with the limit by name.
#include "json_schema/schema.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <chrono>

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::parse;
using boost::json::value;
using namespace json_schema;

/// Generous for sanitizers and a busy machine; without a bound, all of these take minutes or for ever.
constexpr std::chrono::seconds soon{20};

/// A tenth of the default: these tests also run with sanitizers.
const validate_limits few_steps{.steps = 500'000};

class hostile : public testing::Test {
protected:
  void TearDown() override { EXPECT_LT(std::chrono::steady_clock::now() - begin_, soon); }
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

schema good(value document, const compile_options& options = {}) {
  auto out = compile(std::move(document), options);
  EXPECT_TRUE(std::holds_alternative<schema>(out)) << std::get<compile_error>(out).message;
  return std::get<schema>(out);
}

std::string why_undecided(const schema& s, const value& instance, const validate_limits& limits = {}) {
  auto found = s.validate(instance, limits);
  EXPECT_TRUE(found.undecided);
  EXPECT_FALSE(found.valid);
  return found.errors.empty() ? "" : found.errors.back().hint;
}

TEST_F(hostile, references_that_lead_to_themselves) {
  for (auto* text :
       {R"({"$ref": "#"})", R"({"allOf": [{"$ref": "#"}]})",
        R"({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"})",
        R"({"not": {"$ref": "#"}})", R"({"$dynamicAnchor": "x", "$dynamicRef": "#x"})"})
    EXPECT_NE(why_undecided(good(parse(text)), 1).find("leads back to itself"), std::string::npos) << text;
}

TEST_F(hostile, fan_out) {
  object definitions;
  for (int i = 0; i < 40; ++i) {
    auto next = "#/$defs/d" + std::to_string(i + 1);
    definitions["d" + std::to_string(i)] = {
      {"allOf", array{value{{"$ref", next}}, value{{"$ref", next}}, value{{"$ref", next}}}}};
  }
  definitions["d40"] = true;
  auto compiled = good({{"$defs", definitions}, {"$ref", "#/$defs/d0"}});
  EXPECT_NE(why_undecided(compiled, 1, few_steps).find("budget of steps"), std::string::npos);
}

TEST_F(hostile, fan_out_of_alternatives_that_fail) {
  object definitions;
  for (int i = 0; i < 30; ++i) {
    auto next = "#/$defs/d" + std::to_string(i + 1);
    definitions["d" + std::to_string(i)] = {{"anyOf", array{value{{"$ref", next}}, value{{"$ref", next}}}}};
  }
  definitions["d30"] = {{"minimum", 5}};
  EXPECT_TRUE(good({{"$defs", definitions}, {"$ref", "#/$defs/d0"}}).validate(1, few_steps).undecided);
}

TEST_F(hostile, depth_of_instances) {
  value deep = 1;
  for (int i = 0; i < 3'000; ++i)
    deep = array{std::move(deep)};
  auto recursive = good(parse(R"({"items": {"$ref": "#"}})"));
  EXPECT_NE(why_undecided(recursive, deep).find("nested too deeply"), std::string::npos);
  EXPECT_TRUE(good({{"const", deep}}).validate(deep).undecided);
  EXPECT_FALSE(good(parse(R"({"type": "string"})")).validate(deep).undecided);
}

TEST_F(hostile, depth_of_schemas) {
  value deep = true;
  for (int i = 0; i < 3'000; ++i)
    deep = object{{"not", std::move(deep)}};
  EXPECT_NE(why_undecided(good(deep), 1).find("nested too deeply"), std::string::npos);
}

TEST_F(hostile, large_schemas) {
  object properties;
  for (int i = 0; i < 100'000; ++i)
    properties["a_property_with_a_long_name_" + std::to_string(i)] = {
      {"type", "string"}, {"description", "some text that makes the schema larger"}};
  auto compiled = good({{"properties", properties}});
  EXPECT_FALSE(compiled.is_valid({{"a_property_with_a_long_name_77777", 1}}));
  compile_options options;
  options.limits.subschemas = 1'000;
  auto refused = compile({{"properties", properties}}, options);
  ASSERT_TRUE(std::holds_alternative<compile_error>(refused));
  EXPECT_NE(std::get<compile_error>(refused).message.find("more than 1000 subschemas"), std::string::npos);
}

std::string why_refused(value document, const compile_options& options = {}) {
  auto out = compile(std::move(document), options);
  auto* error = std::get_if<compile_error>(&out);
  return error ? error->message : "compiled";
}

/// Each `$id` is a folder in the one around it.
TEST_F(hostile, nested_ids) {
  value deep{{"$id", "leaf"}};
  for (int i = 0; i < 150; ++i)
    deep = object{{"$id", std::string(1'000, 'a') + "/"}, {"not", std::move(deep)}};
  EXPECT_NE(why_refused(deep).find("a URI of more than 4096 bytes"), std::string::npos) << why_refused(deep);
  compile_options ignoring;
  ignoring.mistaken = mistakes::ignored;
  EXPECT_NE(why_refused(deep, ignoring).find("a URI of more than 4096 bytes"), std::string::npos)
    << "a bound is no mistake that can be ignored";
}

TEST_F(hostile, many_ids_within_a_long_one) {
  object definitions;
  for (int i = 0; i < 2'000; ++i)
    definitions["d" + std::to_string(i)] = {{"$id", std::to_string(i)}};
  value schema{{"$id", "https://example.com/" + std::string(3'000, 'a') + "/"}, {"$defs", definitions}};
  EXPECT_NE(why_refused(schema).find("URIs of more than 1048576 bytes together"), std::string::npos)
    << why_refused(schema);
  schema.as_object()["$id"] = "https://example.com/";
  EXPECT_EQ(why_refused(schema), "compiled");
  for (int i = 2'000; i < 5'000; ++i)
    definitions["d" + std::to_string(i)] = {{"$id", std::to_string(i)}};
  EXPECT_NE(why_refused({{"$defs", definitions}}).find("more than 4096 subschemas with an '$id'"), std::string::npos);
}

TEST_F(hostile, many_references_within_a_long_id) {
  array all;
  for (int i = 0; i < 2'000; ++i)
    all.push_back({{"$ref", "other" + std::to_string(i) + "#"}});
  auto why = why_refused({{"$id", "https://example.com/" + std::string(3'000, 'a') + "/"}, {"allOf", all}});
  EXPECT_NE(why.find("there is no document"), std::string::npos) << why;
  compile_options ignoring;
  ignoring.mistaken = mistakes::ignored;
  why = why_refused({{"$id", "https://example.com/" + std::string(3'000, 'a') + "/"}, {"allOf", all}}, ignoring);
  EXPECT_NE(why.find("URIs of more than 1048576 bytes together"), std::string::npos) << why;
}

TEST_F(hostile, memory_of_a_schema) {
  array values;
  for (int i = 0; i < 10'000; ++i)
    values.push_back(value(std::string(100, 'x') + std::to_string(i)));
  compile_options options;
  options.limits.memory_bytes = 1 << 20;
  EXPECT_NE(why_refused({{"enum", values}}, options).find("the schema takes more than 1048576 bytes of memory"),
            std::string::npos);
  object properties;
  for (int i = 0; i < 5'000; ++i)
    properties["p" + std::to_string(i)] = {{"minimum", 1}};
  EXPECT_NE(why_refused({{"properties", properties}}, options).find("the schema takes more than"), std::string::npos);
  auto compiled = good({{"enum", values}});
  EXPECT_GT(compiled.memory_bytes(), size_t{10'000 * 100});
  EXPECT_LT(good(parse(R"({"type": "string"})")).memory_bytes(), size_t{2'000});
}

TEST_F(hostile, dynamic_anchors_are_paid_for) {
  object definitions;
  for (int i = 0; i < 20'000; ++i)
    definitions["d" + std::to_string(i)] = {{"$dynamicAnchor", "a" + std::to_string(i)}};
  definitions["last"] = {{"$dynamicAnchor", "zz"}};
  array items(100'000, value(1));
  auto compiled = good({{"$defs", definitions}, {"items", {{"$dynamicRef", "#zz"}}}});
  EXPECT_NE(why_undecided(compiled, items, few_steps).find("budget of steps"), std::string::npos);
}

TEST_F(hostile, large_enums) {
  array values;
  for (int i = 0; i < 300'000; ++i)
    values.push_back(i);
  auto compiled = good({{"items", {{"enum", values}}}});
  EXPECT_TRUE(compiled.is_valid(values));
  values.push_back(-1);
  EXPECT_FALSE(compiled.is_valid(values));
}

TEST_F(hostile, values_whose_hashes_are_the_same) {
  array values;
  for (int i = 0; i < 20'000; ++i)
    values.push_back(parse("[[[[" + std::to_string(i) + "]]]]"));
  EXPECT_NE(why_undecided(good(parse(R"({"uniqueItems": true})")), values).find("budget of steps"), std::string::npos);
}

TEST_F(hostile, patterns) {
  auto compiled = good(parse(R"({"items": {"pattern": "^(a+)+$"}})"));
  array texts(10'000, value(std::string(60, 'a') + "!"));
  EXPECT_TRUE(compiled.validate(texts).undecided);
}

TEST_F(hostile, patterns_that_take_memory) {
  object many;
  for (int i = 0; i < 2'000; ++i)
    many["^" + std::to_string(i) + "(([ab]c){60}d){20}$"] = true;
  auto refused = compile({{"patternProperties", many}});
  ASSERT_TRUE(std::holds_alternative<compile_error>(refused));
  EXPECT_NE(std::get<compile_error>(refused).message.find("regular expressions take more than"), std::string::npos);
  EXPECT_TRUE(std::holds_alternative<compile_error>(compile({{"pattern", std::string(10'000, 'a')}})));
  EXPECT_TRUE(
    std::holds_alternative<compile_error>(compile({{"pattern", std::string(4'000, '(') + std::string(4'000, ')')}})));
}

TEST_F(hostile, documents_without_end) {
  size_t served = 0;
  compile_options options;
  options.resolve = [&](std::string_view uri) -> std::optional<value> {
    ++served;
    return value{{"$ref", std::string{uri} + "x"}};
  };
  EXPECT_TRUE(std::holds_alternative<compile_error>(compile(parse(R"({"$ref": "https://example.com/x"})"), options)));
  EXPECT_EQ(served, options.limits.documents);
}

TEST_F(hostile, hints_among_many_names) {
  array required;
  object given, properties;
  for (int i = 0; i < 50'000; ++i) {
    required.push_back(value("wanted_" + std::to_string(i)));
    given["given_" + std::to_string(i)] = 1;
    properties["wanted_" + std::to_string(i)] = true;
  }
  auto compiled = good({{"required", required}, {"properties", properties}, {"additionalProperties", false}});
  EXPECT_EQ(compiled.validate(given).errors.size(), validate_limits{}.errors);
}

TEST_F(hostile, large_instances) {
  array items(1'000'000, value(1));
  EXPECT_TRUE(good(parse(R"({"items": {"type": "integer", "minimum": 0}})")).is_valid(items));
  EXPECT_FALSE(good(parse(R"({"items": {"type": "string"}})")).is_valid(items));
  EXPECT_TRUE(good(parse(R"({"prefixItems": [true], "unevaluatedItems": {"type": "integer"}})")).is_valid(items));
}

} // namespace
