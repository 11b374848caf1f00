#include "proxy/types/bounds.hpp"
#include "proxy/types/tool_signature.hpp"

#include "testing/cpu_time.hpp"
#include "tests/unit/support/signatures.hpp"

#include <gtest/gtest.h>

namespace signatures_typescript_test {

using test::is_balanced;
using test::tool;
using test::value;

/// What is printed for a property with this schema.
std::string type_of(const std::string& schema) {
  auto t = tool("f", R"({"inputSchema":{"type":"object","properties":{"x":{"anyOf":[)" + schema + R"(]}}}})");
  t.needs_own_name = true; // not indented by a namespace
  auto text = types::typescript_of(t);
  auto begin = text.find("x?: ");
  auto end = std::min(text.rfind(" }): Promise"), text.rfind(";\n}): Promise"));
  return begin == text.npos || end == text.npos ? text : text.substr(begin + 4, end - begin - 4);
}

std::string signature(const std::string& name, const std::string& definition, const std::string& doc = "") {
  return types::typescript_of(tool(name, definition, doc));
}

TEST(typescript, has_the_types_of_the_schemas_that_tools_use) {
  struct {
    const char *schema, *type;
  } const cases[] = {
    {R"({"type":"string"})", "string"},
    {R"({"type":"integer"})", "number"},
    {R"({"type":"number"})", "number"},
    {R"({"type":"boolean"})", "boolean"},
    {R"({"type":"null"})", "null"},
    {R"({"type":"array"})", "unknown[]"},
    {R"({"type":"array","items":{"type":"string"}})", "string[]"},
    {R"({"type":"array","items":{"type":["string","null"]}})", "Array<string | null>"},
    {R"({"type":"object"})", "Record<string, unknown>"},
    {R"({"type":"object","properties":{}})", "Record<string, unknown>"},
    {R"({"type":"object","additionalProperties":{"type":"number"}})", "Record<string, number>"},
    {R"({"type":"object","additionalProperties":false})", "Record<string, never>"},
    {R"({"type":"object","patternProperties":{"^a":{"type":"number"},"^b":{"type":"string"}}})",
     "Record<string, number | string>"},
    {R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["a"]})",
     "{ a: string; b?: number }"},
    {R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true})",
     "{ a?: string; [name: string]: unknown }"},
    {R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"number"}})",
     "{ a?: string; [name: string]: unknown }"},
    {R"({"properties":{"a":{}}})", "{ a?: unknown }"},
    {R"({"required":["a"]})", "{ a: unknown }"},
    {R"({"type":["string","number"]})", "string | number"},
    {R"({"type":["integer","number"]})", "number"},
    {R"({"type":[]})", "unknown"},
    {R"({"type":["string",5]})", "string"},
    {R"({"type":"string","nullable":true})", "string | null"},
    {R"({"enum":["a","b"]})", "\"a\" | \"b\""},
    {R"({"enum":[1,null,true,"x",1.5,-2]})", "1 | null | true | \"x\" | 1.5 | -2"},
    {R"({"enum":["a","a"]})", "\"a\""},
    {R"({"enum":[]})", "unknown"},
    {R"({"type":"string","enum":["x"]})", "\"x\""},
    {R"({"type":["string","null"],"enum":["x",null]})", "\"x\" | null"},
    {R"({"type":"string","enum":["x",null]})", "\"x\""},
    {R"({"type":"string","enum":[1,2]})", "1 | 2"},
    {R"({"const":"x"})", "\"x\""},
    {R"({"const":5})", "5"},
    {R"({"const":{"a":[1,"b"]}})", "{ a: [1, \"b\"] }"},
    {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "string | null"},
    {R"({"oneOf":[{"type":"string"},{"type":"string"}]})", "string"},
    {R"({"anyOf":[{"type":"string"},{"enum":["a"]}]})", "string"},
    {R"({"anyOf":[{"type":"string"},{}]})", "unknown"},
    {R"({"anyOf":[{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}},{"type":"null"}]})",
     "Array<string | number> | null"},
    {R"({"type":"odd"})", "unknown"},
    {R"({"type":5})", "unknown"},
    {"{}", "unknown"},
    {"true", "unknown"},
    {"false", "never"},
    {"null", "unknown"},
    {"[]", "unknown"},
    {"\"string\"", "unknown"},
    // what is not JSON Schema, but is sent
    {R"({"type":"str"})", "string"},
    {R"({"type":"int"})", "number"},
    {R"({"type":"float"})", "number"},
    {R"({"type":"bool"})", "boolean"},
    {R"({"type":"String"})", "string"},
    {R"({"type":"dict"})", "Record<string, unknown>"},
    {R"({"type":"list","items":{"type":"int"}})", "number[]"},
    {R"({"type":"any"})", "unknown"},
    {R"({"type":"str | None"})", "unknown"},
    {R"({"type":{"type":"string"}})", "string"},
    {R"({"type":["string",{"type":"object","properties":{"a":{"type":"null"}}}]})", "string | { a?: null }"},
    // tuples
    {R"({"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"minItems":2,"items":false})",
     "[string, number]"},
    {R"({"type":"array","prefixItems":[{"type":"string"},{"type":["number","null"]}],"minItems":1})",
     "[string, (number | null)?, ...Array<unknown>]"},
    {R"({"type":"array","items":[{"type":"string"}],"minItems":1,"additionalItems":{"type":"number"}})",
     "[string, ...Array<number>]"},
    {R"({"type":"array","items":[{"type":"string"},{"type":"number"}],"minItems":2,"maxItems":2})", "[string, number]"},
    {R"({"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2})", "[number, number]"},
    {R"({"type":"array","items":{"type":"number"},"minItems":200,"maxItems":200})", "number[]"},
    // all at once
    {R"({"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"number"}},"required":["a","b"]}]})",
     "{ a: string; b: number }"},
    {R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]})",
     "{ a: string; b?: string } | { a?: string; b: string }"},
    {R"({"allOf":[{"type":"number"},{"type":"integer"}]})", "number"},
    {R"({"allOf":[{"type":"string"},{"enum":["a","b"]}]})", "\"a\" | \"b\""},
    {R"({"allOf":[{"type":"string"},{"type":"number"}]})", "string"}, // wider than nothing at all
    {R"({"type":"object","not":{"required":["a"]},"if":{"required":["b"]},"then":{"required":["c"]}})",
     "Record<string, unknown>"},
  };
  for (auto& c : cases)
    EXPECT_EQ(type_of(c.schema), c.type) << c.schema;
}

TEST(typescript, names_of_properties_are_quoted_where_they_must_be) {
  EXPECT_EQ(
    type_of(
      R"({"type":"object","properties":{"a-b":{},"":{},"1x":{},"q\"x":{},"ok_$1":{},"é":{}},"required":["a-b"]})"),
    R"({ "a-b": unknown; ""?: unknown; "1x"?: unknown; "q\"x"?: unknown; ok_$1?: unknown; "é"?: unknown })");
}

TEST(typescript, references_become_names) {
  struct {
    const char *definition, *text;
  } const cases[] = {
    {R"({"outputSchema":{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<FNode>;\n}\ntype FNode = { "
     "next?: FNode };\n"},
    {R"({"outputSchema":{"type":"array","items":{"$ref":"#"}}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<FOutput>;\n}\ntype FOutput = "
     "FOutput[];\n"},
    {R"({"outputSchema":{"type":"array","items":{"$ref":"#/definitions/short"},"definitions":{"short":{"type":"string"}}}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<string[]>;\n}\n"},
    {R"({"outputSchema":{"type":"array","items":{"$ref":"#here"},"$defs":{"x":{"$anchor":"here","type":"object","required":["a"]}}}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<FHere[]>;\n}\ntype FHere = { "
     "a: unknown };\n"},
    {R"({"outputSchema":{"$id":"http://x.y/a/root.json","type":"array","items":{"$ref":"other.json#/$defs/z"},
        "$defs":{"o":{"$id":"other.json","$defs":{"z":{"type":"number"}}}}}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<number[]>;\n}\n"},
    // mere circles mean nothing
    {R"({"outputSchema":{"$ref":"#"}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
    {R"({"outputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
    {R"({"outputSchema":{"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"string"}]},
        "b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"array","items":{"$ref":"#/$defs/b"}}]}}}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<unknown[]>;\n}\n"},
    // nothing is fetched
    {R"({"outputSchema":{"$ref":"http://elsewhere/x.json"}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
    {R"({"outputSchema":{"$ref":"#/nowhere"}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
    {R"({"outputSchema":{"$ref":5}})",
     "declare namespace mcp.s {\n  function f(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
  };
  for (auto& c : cases)
    EXPECT_EQ(signature("f", c.definition), c.text) << c.definition;
}

TEST(typescript, names_do_not_clash) {
  auto text = signature(
    "array",
    R"({"inputSchema":{"properties":{"a":{"$ref":"#/definitions/x"},"b":{"$ref":"#/$defs/x"},"c":{"$ref":"#/$defs/X"}},
    "definitions":{"x":{"required":["a"]}},"$defs":{"x":{"required":["b"]},"X":{"required":["c"]}}}})");
  for (auto part :
       {"a?: ArrayX;", "b?: ArrayX2;", "c?: ArrayX3 ", "type ArrayX = ", "type ArrayX2 = ", "type ArrayX3 = "})
    EXPECT_NE(text.find(part), text.npos) << text;
}

TEST(typescript, is_a_declaration) {
  struct {
    const char *name, *definition, *text;
  } const cases[] = {
    {"read", R"({"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}})",
     "declare namespace mcp.s {\n  function read(params: { path: string }): Promise<unknown>;\n}\n"},
    {"read-file", R"({"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}})",
     "declare namespace mcp.s {\n  function readFile(params?: { n?: number }): Promise<unknown>;\n}\n"},
    {"now",
     R"({"inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"t":{"type":"string"}},"required":["t"]}})",
     "declare namespace mcp.s {\n  function now(params?: {}): Promise<{ t: string }>;\n}\n"},
    {"any", R"({"inputSchema":{"type":"object","additionalProperties":true}})",
     "declare namespace mcp.s {\n  function any(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
    {"delete", "{}",
     "declare namespace mcp.s {\n  function delete_(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
    {"x", "null", "declare namespace mcp.s {\n  function x(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
    {"x", R"({"inputSchema":null,"outputSchema":null})",
     "declare namespace mcp.s {\n  function x(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
    {"x", R"({"inputSchema":{"type":"string"}})",
     "declare namespace mcp.s {\n  function x(params?: Record<string, unknown>): Promise<unknown>;\n}\n"},
  };
  for (auto& c : cases)
    EXPECT_EQ(signature(c.name, c.definition), c.text);
}

TEST(typescript, is_declared_where_a_program_finds_it) {
  auto text = [](const std::string& server, const std::string& name, bool needs_own_name) {
    auto t = tool(name, R"({"inputSchema":{"type":"object"}})");
    t.server = server;
    t.needs_own_name = needs_own_name;
    return types::typescript_of(t);
  };
  EXPECT_EQ(text("my-kid", "read-file", false),
            "declare namespace mcp.myKid {\n  function readFile(params?: {}): Promise<unknown>;\n}\n");
  EXPECT_EQ(text("9 lives", "x", false),
            "declare namespace mcp._9Lives {\n  function x(params?: {}): Promise<unknown>;\n}\n");
  EXPECT_EQ(text("s", "read-file", true), "declare function readFile(params?: {}): Promise<unknown>;\n")
    << "its alias is another's";
  EXPECT_EQ(text("s", "then", false), "declare function then(params?: {}): Promise<unknown>;\n")
    << "mcp.s has no such member";
}

TEST(typescript, says_what_the_server_says) {
  EXPECT_EQ(signature("f",
                      R"({"inputSchema":{"type":"object","required":["n"],"properties":{
      "n":{"type":"integer","description":"How\nmany  */ of them","default":5,"minimum":1,"maximum":9},
      "u":{"type":"string","format":"uri","examples":["a","b","c"],"maxLength":20,"deprecated":true}}}})",
                      "First.\r\n\r\n*/ Second.\x01"),
            R"(declare namespace mcp.s {
  /**
   * First.
   *
   * *\/ Second.
   */
  function f(params: {
    /** How many *\/ of them (default 5; 1..9) */
    n: number;
    /** deprecated; format uri; at most 20 characters; e.g. "a", "b" */
    u?: string;
  }): Promise<unknown>;
}
)");
}

TEST(typescript, marks_what_was_observed) {
  EXPECT_EQ(
    signature(
      "f",
      R"({"inputSchema":{"type":"object"},"outputSchema":{"type":"string","x-observed":{"samples":3,"version":1}}})"),
    "declare namespace mcp.s {\n  function f(params?: {}): Promise<FOutput>;\n}\n/** observed in 3 results, not "
    "declared by the server "
    "*/\ntype FOutput = string;\n");
}

TEST(typescript, has_no_wrong_syntax_for_odd_names_and_schemas) {
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    test::random_values random{seed};
    boost::json::object properties;
    for (auto n = random.below(5); n > 0; --n)
      properties[random.text(6)] = boost::json::object{{"enum", boost::json::array{random.value(2), random.text(5)}}};
    boost::json::object definition{
      {"inputSchema",
       boost::json::object{{"type", "object"}, {"properties", properties}, {"required", random.value(2)}}},
      {"outputSchema", random.value(3)}};
    auto text = types::typescript_of({"s", random.text(6), random.text(9), msg::document{definition}});
    ASSERT_TRUE(is_balanced(text)) << "seed " << seed << ": " << text;
  }
}

TEST(typescript, is_bounded_for_hostile_schemas) {
  for (auto& schema : test::hostile_schemas()) {
    boost::json::object definition{{"inputSchema", schema}, {"outputSchema", schema}};
    msg::tool_info t{"s", "f", std::string(100'000, '*') + "/",
                     msg::document{boost::json::value(std::move(definition))}};
    auto begin = test::cpu_time();
    auto text = types::typescript_of(t);
    auto took = test::cpu_time() - begin;
    EXPECT_TRUE(is_balanced(text)) << text.substr(0, 1'000);
    EXPECT_LE(text.size(), types::bounds::signature_bytes_max);
    EXPECT_LT(took, test::hostile_schema_time_max) << text::to_text(schema).substr(0, 100);
  }
}

} // namespace signatures_typescript_test
