#include "proxy/types/bounds.hpp"
#include "proxy/types/example_call.hpp"
#include "proxy/types/parameter_line.hpp"
#include "testing/cpu_time.hpp"
#include "tests/unit/support/signatures.hpp"

#include <gtest/gtest.h>

#include <string>

namespace signatures_example_call_test {

using msg::language;
using test::tool;

msg::tool_info with(const std::string& input) { return tool("read-file", R"({"inputSchema":)" + input + "}"); }

TEST(example_call, gives_what_must_be_given_as_the_language_writes_it) {
  struct {
    const char *schema, *typescript, *python;
  } const cases[] = {
    {R"({"type":"object","properties":{"path":{"type":"string"},"head":{"type":"number"}},"required":["path"]})",
     R"(await mcp.s.readFile({path: "..."}))", R"(await mcp_s.read_file(path="..."))"},
    {R"({"type":"object"})", "await mcp.s.readFile()", "await mcp_s.read_file()"},
    {R"({"type":"object","properties":{"a":{"type":"string"}}})", "await mcp.s.readFile()", "await mcp_s.read_file()"},
    {R"({"required":["auth-method"],"properties":{"auth-method":{"enum":["x","y"]}}})",
     R"(await mcp.s.readFile({"auth-method": "x"}))", R"(await mcp_s.read_file({"auth-method": "x"}))"},
    {R"({"required":["class"],"properties":{"class":{"type":"boolean"}}})", "await mcp.s.readFile({class: true})",
     R"(await mcp_s.read_file({"class": True}))"},
    {R"({"required":["a","b","c","d"],"properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"number"}},"c":{"const":true},
         "d":{"type":"object","required":["x"],"properties":{"x":{"type":"null"},"y":{"type":"string"}}}}})",
     "await mcp.s.readFile({a: 1, b: [1], c: true, d: {x: null}})",
     R"(await mcp_s.read_file(a=1, b=[1], c=True, d={"x": None}))"},
    {R"({"type":"object","oneOf":[{"required":["a"],"properties":{"a":{"type":"string"}}},{"required":["b"],"properties":{"b":{}}}]})",
     R"(await mcp.s.readFile({a: "..."}))", R"(await mcp_s.read_file(a="..."))"},
    {R"({"required":["n"],"properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/n"}}}}})",
     "await mcp.s.readFile({n: {n: {n: {}}}})", R"(await mcp_s.read_file(n={"n": {"n": {}}}))"},
  };
  for (auto& c : cases) {
    EXPECT_EQ(types::example_call(with(c.schema), language::typescript), c.typescript);
    EXPECT_EQ(types::example_call(with(c.schema), language::python), c.python);
  }
}

TEST(example_call, uses_the_names_that_lead_to_the_tool) {
  auto call = [](const std::string& server, const std::string& name, language lang, bool needs_own_name = false) {
    auto t = tool(name, R"({"inputSchema":{"required":["a"],"properties":{"a":{"type":"string"}}}})");
    t.server = server;
    t.needs_own_name = needs_own_name;
    return types::example_call(t, lang);
  };
  EXPECT_EQ(call("my kid", "x.y", language::typescript), R"(await mcp.myKid.xY({a: "..."}))");
  EXPECT_EQ(call("my kid", "x.y", language::python), R"(await mcp_my_kid.x_y(a="..."))");
  EXPECT_EQ(call("my kid", "x.y", language::typescript, true), R"(await callMCPTool("my kid", "x.y", {a: "..."}))");
  EXPECT_EQ(call("my kid", "x.y", language::python, true), R"(await call_mcp_tool("my kid", "x.y", {"a": "..."}))");
  EXPECT_EQ(call("s", "then", language::typescript), R"(await callMCPTool("s", "then", {a: "..."}))");
  EXPECT_EQ(call("s", "__init", language::python), R"(await call_mcp_tool("s", "__init", {"a": "..."}))");
  EXPECT_EQ(call("s", "q\"\n", language::python, true), "await call_mcp_tool(\"s\", \"q\\\"\\n\", {\"a\": \"...\"})");
}

TEST(example_call, is_bounded_for_hostile_schemas) {
  for (auto& schema : test::hostile_schemas())
    for (auto lang : {language::typescript, language::python}) {
      msg::tool_info t{"s", "f", "", msg::document{boost::json::value{{"inputSchema", schema}}}};
      auto begin = test::cpu_time();
      auto call = types::example_call(t, lang);
      auto line = types::parameter_line(t, 100);
      EXPECT_LT(test::cpu_time() - begin, test::hostile_schema_time_max);
      EXPECT_LE(call.size(), 2 * types::bounds::example_bytes_max);
      EXPECT_LE(line.size(), 100U);
      EXPECT_TRUE(test::is_balanced(call)) << call.substr(0, 500);
    }
}

TEST(parameter_line, says_names_and_types) {
  struct {
    const char *schema, *line;
  } const cases[] = {
    {R"({"type":"object"})", ""},
    {R"({"type":"object","properties":{"head":{"type":"number"},"path":{"type":"string"}},"required":["path"]})",
     "path: string, head?: number"},
    {R"({"properties":{"auth-method":{"enum":["a","b"]},"x":{}}})", "\"auth-method\"?: \"a\" | \"b\", x?: any"},
    {R"({"properties":{"e":{"type":"array","items":{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"integer"}}}}}})",
     "e?: {a: string, b?: number}[]"},
    {R"({"properties":{"l":{"type":"array","items":{"type":["string","null"]}}}})", "l?: (string | null)[]"},
    {R"({"type":"object","additionalProperties":true})", "..."},
  };
  for (auto& c : cases)
    EXPECT_EQ(types::parameter_line(with(c.schema), 200), c.line) << c.schema;
}

TEST(parameter_line, says_less_where_there_is_less_room) {
  auto t = with(
    R"({"required":["z"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"enum":["one","two","three","four","five"]}}},
                     "long_name":{"type":"string"},"z":{"type":"array","items":{"type":"string"}}}})");
  EXPECT_EQ(types::parameter_line(t, 200),
            R"(z: string[], a?: {b: "one" | "two" | "three" | "four" | "five"}, long_name?: string)");
  EXPECT_EQ(types::parameter_line(t, 50), "z: string[], a?: object, long_name?: string");
  EXPECT_EQ(types::parameter_line(t, 35), "z: string[], a?: object, ...");
  EXPECT_EQ(types::parameter_line(t, 5), "...");
}

TEST(parameter_line, of_a_huge_definition_is_not_made) {
  auto t = with(R"({"properties":{"a":{"type":"string","description":")"
                + std::string(types::bounds::line_definition_bytes_max, 'x') + R"("}}})");
  EXPECT_EQ(types::parameter_line(t, 100), "...");
}

} // namespace signatures_example_call_test
