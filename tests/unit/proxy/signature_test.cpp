#include "proxy/signature.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace {

using test::value;

std::string signature(const std::string& name, const std::string& definition) { return proxy::signature_of({"s", name, "", test::doc(definition)}); }

/// Outside of string literals: every bracket is closed by its own kind, no control character, and every literal ends.
bool is_balanced(std::string_view text) {
  std::string open;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20)
      return false;
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
      if (i >= text.size())
        return false;
    } else if (c == '(' || c == '{' || c == '[') {
      open += c;
    } else if (c == ')' || c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == ')' ? '(' : c == '}' ? '{' : '['))
        return false;
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(type_of, knows_the_schemas_that_tools_use) {
  struct {
    const char *schema, *type;
  } const cases[] = {
    {R"({"type":"string"})", "string"},
    {R"({"type":"integer"})", "number"},
    {R"({"type":"number"})", "number"},
    {R"({"type":"boolean"})", "boolean"},
    {R"({"type":"null"})", "null"},
    {R"({"type":"array"})", "Array<unknown>"},
    {R"({"type":"array","items":{"type":"string"}})", "Array<string>"},
    {R"({"type":"array","items":{"type":["string","null"]}})", "Array<string | null>"},
    {R"({"type":"object"})", "Record<string, unknown>"},
    {R"({"type":"object","properties":{}})", "Record<string, unknown>"},
    {R"({"type":"object","additionalProperties":{"type":"number"}})", "Record<string, number>"},
    {R"({"type":"object","additionalProperties":false})", "Record<string, unknown>"},
    {R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["a"]})", "{ a: string; b?: number }"},
    {R"({"properties":{"a":{}}})", "{ a?: unknown }"},
    {R"({"type":["string","number"]})", "string | number"},
    {R"({"type":[]})", "unknown"},
    {R"({"type":["string",5]})", "string"},
    {R"({"enum":["a","b"]})", "\"a\" | \"b\""},
    {R"({"enum":[1,null,true,"x"]})", "1 | null | true | \"x\""},
    {R"({"enum":["a","a"]})", "\"a\""},
    {R"({"enum":[]})", "unknown"},
    {R"({"type":"string","enum":["x"]})", "\"x\""},
    {R"({"const":"x"})", "\"x\""},
    {R"({"const":5})", "5"},
    {R"({"const":{"a":1}})", "unknown"},
    {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "string | null"},
    {R"({"oneOf":[{"type":"string"},{"type":"string"}]})", "string"},
    {R"({"anyOf":[{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}},{"type":"null"}]})", "Array<string | number> | null"},
    {R"({"type":"odd"})", "unknown"},
    {R"({"type":5})", "unknown"},
    {R"({"$ref":"#/x"})", "unknown"},
    {"{}", "unknown"},
    {"true", "unknown"},
    {"false", "unknown"},
    {"null", "unknown"},
    {"[]", "unknown"},
    {"\"string\"", "unknown"},
    {R"({"type":"object","properties":{"a-b":{},"c d":{},"1x":{},"":{},"é":{},"q\"x":{},"ok_$1":{}},"required":["a-b"]})",
     R"({ "a-b": unknown; "c d"?: unknown; "1x"?: unknown; ""?: unknown; "é"?: unknown; "q\"x"?: unknown; ok_$1?: unknown })"},
  };
  for (auto& c : cases)
    EXPECT_EQ(proxy::type_of(value(c.schema)), c.type) << c.schema;
}

TEST(signature_of, is_a_declaration) {
  struct {
    const char *name, *definition, *text;
  } const cases[] = {
    {"read", R"({"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}})",
     "declare function read(params: { path: string }): Promise<unknown>;"},
    {"read-file", R"({"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}})",
     "declare function readFile(params?: { n?: number }): Promise<unknown>;"},
    {"now", R"({"inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"t":{"type":"string"}},"required":["t"]}})",
     "declare function now(): Promise<{ t: string }>;"},
    {"delete", "{}", "declare function delete_(): Promise<unknown>;"},
    {"x", "null", "declare function x(): Promise<unknown>;"},
    {"x", R"({"inputSchema":null,"outputSchema":null})", "declare function x(): Promise<unknown>;"},
  };
  for (auto& c : cases)
    EXPECT_EQ(signature(c.name, c.definition), c.text);
}

TEST(signature_of, reserved_words_are_never_function_names) {
  for (auto* word : {"typeof", "void", "while", "yield", "delete", "new", "in", "class"}) {
    auto text = signature(word, "{}");
    EXPECT_EQ(text.find("declare function " + std::string{word} + "("), std::string::npos) << text;
  }
}

TEST(signature_of, what_a_schema_requires_is_there) { // `required` may name what is not in `properties`
  auto text = signature("f", R"({"inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]}})");
  EXPECT_NE(text.find("a: string"), std::string::npos);
  EXPECT_TRUE(is_balanced(text)) << text;
  // a tool that takes any object takes something
  EXPECT_NE(signature("f", R"({"inputSchema":{"type":"object","additionalProperties":true}})").find("params"), std::string::npos)
    << signature("f", R"({"inputSchema":{"type":"object","additionalProperties":true}})");
}

TEST(signature_of, has_no_wrong_syntax_for_odd_names_and_schemas) {
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    test::random_values random{seed};
    boost::json::object properties;
    for (auto n = random.below(5); n > 0; --n)
      properties[random.text(6)] = boost::json::object{{"enum", boost::json::array{random.value(2), random.text(5)}}};
    boost::json::object definition{
      {"inputSchema", boost::json::object{{"type", "object"}, {"properties", properties}, {"required", random.value(2)}}},
      {"outputSchema", random.value(3)}};
    auto text = proxy::signature_of({"s", random.text(6), "", msg::document{definition}});
    ASSERT_TRUE(is_balanced(text)) << "seed " << seed << ": " << text;
    ASSERT_TRUE(text.starts_with("declare function ") && text.ends_with(">;")) << text;
  }
}

TEST(type_of, is_bounded_for_deep_and_wide_schemas) {
  boost::json::value deep = boost::json::object{{"type", "string"}};
  for (int i = 0; i < 60; ++i)
    deep = boost::json::object{{"type", "array"}, {"items", deep}};
  EXPECT_NE(proxy::type_of(deep).find("unknown"), std::string::npos);
  EXPECT_TRUE(is_balanced(proxy::type_of(deep)));
  boost::json::array many;
  for (int i = 0; i < 5'000; ++i)
    many.push_back(boost::json::string{"value " + std::to_string(i)});
  EXPECT_LT(proxy::type_of(boost::json::object{{"enum", many}}).size(), 5'000u);
}

} // namespace
