#include "json_schema/schema.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <boost/json/monotonic_resource.hpp>
#include <thread>

namespace {

using boost::json::parse;
using namespace json_schema;

schema good(std::string_view text, const compile_options& options = {}) {
  auto out = compile(parse(text), options);
  EXPECT_TRUE(std::holds_alternative<schema>(out)) << std::get<compile_error>(out).message;
  return std::get<schema>(out);
}

compile_error bad(std::string_view text, const compile_options& options = {}) {
  auto out = compile(parse(text), options);
  EXPECT_TRUE(std::holds_alternative<compile_error>(out)) << text;
  return std::holds_alternative<compile_error>(out) ? std::get<compile_error>(out) : compile_error{};
}

TEST(api, says_what_is_wrong_with_a_schema_and_where) {
  EXPECT_EQ(bad(R"({"properties": {"a/b": {"type": "strin"}}})").schema_path, "#/properties/a~1b/type");
  EXPECT_NE(bad(R"({"type": "strin"})").message.find("strin"), std::string::npos);
  EXPECT_EQ(bad(R"({"items": {"pattern": "("}})").schema_path, "#/items/pattern");
  EXPECT_EQ(bad(R"({"allOf": [true, {"minLength": -1}]})").schema_path, "#/allOf/1/minLength");
  EXPECT_EQ(bad(R"({"$defs": {"a": {"required": "x"}}, "$ref": "#/$defs/a"})").schema_path, "#/$defs/a/required");
  for (auto* text : {"12", "\"x\"", R"({"properties": []})", R"({"required": [1]})", R"({"anyOf": []})",
                     R"({"enum": 1})", R"({"multipleOf": 0})", R"({"maximum": "1"})", R"({"uniqueItems": 1})",
                     R"({"$ref": 1})", R"({"properties": {"a": 1}})", R"({"format": 1})", R"({"maxItems": 1.5})"})
    bad(text);
}

TEST(api, takes_the_dialect_from_the_schema) {
  auto* in_draft7 = R"({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]})";
  EXPECT_FALSE(good(in_draft7).is_valid(parse("[1]")));
  EXPECT_NE(bad(R"({"$schema": "https://example.com/mine"})").message.find("dialect"), std::string::npos);
  compile_options old;
  old.default_dialect = dialect::draft7;
  EXPECT_TRUE(good(R"({"prefixItems": [{"type": "string"}]})", old).is_valid(parse("[1]")));
  EXPECT_FALSE(good(R"({"prefixItems": [{"type": "string"}]})").is_valid(parse("[1]")));
}

TEST(api, never_loads_documents_by_itself) {
  EXPECT_NE(bad(R"({"$ref": "https://example.com/a.json"})").message.find("there is no document"), std::string::npos);
  std::vector<std::string> asked;
  compile_options options;
  options.base_uri = "https://example.com/dir/root.json";
  options.resolve = [&](std::string_view uri) -> std::optional<boost::json::value> {
    asked.emplace_back(uri);
    return parse(R"({"type": "integer"})");
  };
  auto compiled = good(R"({"$ref": "../other.json#"})", options);
  EXPECT_EQ(asked, std::vector<std::string>{"https://example.com/other.json"});
  EXPECT_FALSE(compiled.is_valid("x"));
  EXPECT_TRUE(compiled.is_valid(1));
}

TEST(api, checks_schemas_against_the_metaschemas) {
  auto modern = good(R"({"$ref": "https://json-schema.org/draft/2020-12/schema"})");
  EXPECT_TRUE(modern.is_valid(parse(R"({"properties": {"a": {"type": "string"}}})")));
  EXPECT_FALSE(modern.is_valid(parse(R"({"properties": {"a": {"type": "strin"}}})")));
  EXPECT_FALSE(good(R"({"$ref": "http://json-schema.org/draft-07/schema#"})").is_valid(parse(R"({"minLength": "1"})")));
}

TEST(api, formats_and_content_are_assertions_when_asked_for) {
  EXPECT_TRUE(good(R"({"format": "ipv4"})").is_valid("x"));
  compile_options strict;
  strict.format = strict.content = meaning::assertion;
  EXPECT_FALSE(good(R"({"format": "ipv4"})", strict).is_valid("x"));
  EXPECT_FALSE(good(R"({"format": "date"})", strict).is_valid(boost::json::string(100'000, '1')));
  EXPECT_FALSE(good(R"({"contentMediaType": "application/json"})", strict).is_valid("{"));
}

TEST(api, ignores_mistakes_when_asked_to) {
  compile_options lenient;
  lenient.mistaken = mistakes::ignored;
  auto tool = good(
    R"({"type": "object", "properties": {"path": {"type": "str"}, "depth": {"type": "integer", "pattern": "("}, "odd": 5},
    "required": ["path"], "additionalProperties": false})",
    lenient);
  EXPECT_TRUE(tool.is_valid(parse(R"({"path": 1, "odd": true})")));
  EXPECT_FALSE(tool.is_valid(parse(R"({"depth": 1})")));
  EXPECT_FALSE(tool.is_valid(parse(R"({"path": 1, "depth": "x"})")));
  EXPECT_FALSE(tool.is_valid(parse(R"({"path": 1, "other": 1})")));
  ASSERT_EQ(tool.ignored().size(), 3U);
  EXPECT_EQ(tool.ignored()[0].schema_path, "#/properties/odd");
  EXPECT_TRUE(good(R"({"type": "object"})", lenient).ignored().empty());
}

TEST(api, an_ignored_mistake_never_forbids_more) {
  compile_options lenient;
  lenient.mistaken = mistakes::ignored;
  for (auto* text :
       {R"({"not": {"type": "str"}})", R"({"oneOf": [{"type": "str"}, {"type": "int"}]})",
        R"({"if": {"$ref": "#/nowhere"}, "then": {"type": "null"}})",
        R"({"$ref": "#/nowhere", "unevaluatedProperties": false})",
        R"({"patternProperties": {"(": true}, "additionalProperties": false})",
        R"({"$schema": "http://json-schema.org/draft-04/schema#"})", R"({"minimum": 5, "exclusiveMinimum": true})",
        R"({"$schema": "draft-07", "definitions": {}, "$ref": "#/definitions/a"})", R"("string")"})
    EXPECT_TRUE(good(text, lenient).is_valid(parse(R"({"a": 1})"))) << text;
}

TEST(api, bounds_hold_for_ignored_mistakes_too) {
  compile_options lenient;
  lenient.mistaken = mistakes::ignored;
  lenient.limits.subschemas = 10;
  EXPECT_NE(bad(R"({"allOf": [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]})", lenient)
              .message.find("more than 10 subschemas"),
            std::string::npos);
  lenient.limits.subschemas = 1'000;
  boost::json::array all;
  for (int i = 0; i < 100; ++i)
    all.push_back(boost::json::object{{"type", "str"}});
  EXPECT_EQ(std::get<schema>(compile(boost::json::object{{"allOf", all}}, lenient)).ignored().size(), ignored_max);
}

TEST(api, keeps_a_document_whose_memory_is_gone) {
  std::optional<schema> kept;
  {
    boost::json::monotonic_resource memory;
    auto out =
      compile(parse(R"({"properties": {"name": {"enum": ["a long text that is not stored inside", "b"]}}})", &memory));
    kept = std::get<schema>(out);
  }
  EXPECT_TRUE(kept->is_valid(parse(R"({"name": "b"})")));
  EXPECT_FALSE(kept->is_valid(parse(R"({"name": "c"})")));
}

TEST(api, one_schema_serves_several_threads) {
  auto compiled = good(R"({"items": {"pattern": "^a+$", "enum": ["a", "aa", "aaa"]}, "uniqueItems": true})");
  auto valid = parse(R"(["a", "aa"])"), invalid = parse(R"(["a", "b"])");
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        EXPECT_TRUE(compiled.is_valid(valid));
        EXPECT_FALSE(compiled.validate(invalid).valid);
      }
    });
  for (auto& one : all)
    one.join();
}

} // namespace
