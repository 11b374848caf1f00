#include "proxy/types/bounds.hpp"
#include "proxy/types/tool_signature.hpp"
#include "testing/cpu_time.hpp"
#include "tests/unit/support/signatures.hpp"

#include <gtest/gtest.h>

namespace signatures_python_test {

using test::tool;

/// Without the imports.
std::string stub(const std::string& name, const std::string& definition, const std::string& doc = "") {
  auto text = types::python_of(tool(name, definition, doc));
  auto begin = text.find("\n\n");
  return text.starts_with("from ") || text.starts_with("import ") ? text.substr(begin + 2) : text;
}

std::string type_of(const std::string& schema) {
  auto text = stub("f", R"({"inputSchema":{"type":"object"},"outputSchema":)" + schema + "}");
  auto begin = text.rfind(" -> "), end = text.rfind(": ...");
  return text.substr(begin + 4, end - begin - 4);
}

TEST(python_stub, has_the_types_of_the_schemas_that_tools_use) {
  struct {
    const char *schema, *type;
  } const cases[] = {
    {R"({"type":"string"})", "str"},
    {R"({"type":"integer"})", "int"},
    {R"({"type":"number"})", "float"},
    {R"({"type":"boolean"})", "bool"},
    {R"({"type":"null"})", "None"},
    {R"({})", "Any"},
    {R"({"type":"array","items":{"type":["string","null"]}})", "list[str | None]"},
    {R"({"type":"object"})", "dict[str, Any]"},
    {R"({"type":"object","additionalProperties":{"type":"number"}})", "dict[str, float]"},
    {R"({"enum":["a","b",null,1,true,1.5]})", R"(Literal["a", "b", 1, True] | None | float)"},
    {R"({"type":"array","items":[{"type":"string"},{"type":"number"}],"minItems":2,"maxItems":2})",
     "list[str | float]"},
  };
  for (auto& c : cases)
    EXPECT_EQ(type_of(c.schema), c.type) << c.schema;
}

TEST(python_stub, takes_keywords_required_ones_first) {
  EXPECT_EQ(
    stub(
      "read-file",
      R"({"inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"path":{"type":"string"}},"required":["path"]}})"),
    "async def read_file(*, path: str, n: int = ...) -> Any: ...\n");
  EXPECT_EQ(
    stub("f",
         R"({"inputSchema":{"type":"object","properties":{"others":{"type":"integer"}},"additionalProperties":true}})"),
    "async def f(*, others: int = ..., **others_: Any) -> Any: ...\n");
  EXPECT_EQ(stub("now", R"({"inputSchema":{"type":"object"}})"), "async def now() -> Any: ...\n");
  EXPECT_EQ(stub("f", "{}"), "async def f(**others: Any) -> Any: ...\n");
}

TEST(python_stub, takes_a_dict_where_names_are_no_identifiers) {
  EXPECT_EQ(
    stub(
      "f",
      R"({"inputSchema":{"type":"object","properties":{"auth-method":{"type":"string"}},"required":["auth-method"]}})"),
    "FParams = TypedDict(\"FParams\", {\n    \"auth-method\": str,\n})\n\nasync def f(params: FParams, /) -> Any: "
    "...\n");
  EXPECT_NE(
    stub("f", R"({"inputSchema":{"type":"object","properties":{"class":{}}}})").find("params: FParams = ..., /"),
    std::string::npos);
  EXPECT_EQ(stub("f", R"({"inputSchema":{"type":"object","properties":{"default":{},"function":{}}}})"),
            "async def f(*, default: Any = ..., function: Any = ...) -> Any: ...\n"); // words of TypeScript only
}

TEST(python_stub, objects_become_typed_dicts) {
  EXPECT_EQ(
    stub("f", R"({"inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["a"],"properties":{
      "a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"null","description":"Not\nhere"}}}},"next":{"$ref":"#"}}}})"),
    R"(class FOutputAItem(TypedDict):
    #: Not here
    b: NotRequired[None]

class FOutput(TypedDict):
    a: list[FOutputAItem]
    next: "NotRequired[FOutput]"

async def f() -> FOutput: ...
)");
}

TEST(python_stub, says_what_the_server_says) {
  EXPECT_EQ(stub("f",
                 R"({"inputSchema":{"type":"object","required":["n"],"properties":{"n":{"description":"type: \"x\""}}},
                     "outputSchema":{"x-observed":{"samples":1}}})",
                 "Says \"\"\" and \\.\nTwo"),
            R"(async def f(
    *,
    #: type: "x"
    n: Any,
) -> Any:
    """Says \"\"\" and \\.
    Two

    The result: observed in 1 result, not declared by the server."""
    ...
)");
}

TEST(python_stub, names_of_the_language_are_told_from_those_of_tools) {
  EXPECT_EQ(types::python_of(
              tool("list", R"({"inputSchema":{"type":"object","properties":{"x":{"type":"array","items":{}}}}})")),
            "import builtins as _builtins\nfrom typing import Any\n\nasync def list(*, x: _builtins.list[Any] = ...) "
            "-> Any: ...\n");
}

TEST(python_stub, no_type_has_the_name_of_a_keyword) {
  struct {
    std::string tool, name;
  } const cases[] = {{"t", "True"}, {"f", "False"}, {"n", "None"}, {"a", "Any"}};
  for (auto& c : cases) {
    auto text = stub(c.tool, R"({"outputSchema":{"type":"object","properties":{"r":{"$ref":"#/$defs/)" + c.name
                               + R"("}},"$defs":{")" + c.name + R"(":{"type":"array","items":{"$ref":"#/$defs/)"
                               + c.name + R"("}}}}})");
    EXPECT_NE(text.find(c.name + "2: TypeAlias = "), text.npos) << text;
    EXPECT_EQ(text.find(c.name + ": "), text.npos) << text;
  }
}

TEST(python_stub, names_that_have_no_value_yet_are_written_as_strings) {
  auto text = stub(
    "f", R"({"inputSchema":{"type":"object","properties":{"x-y":{"$ref":"#/$defs/a"},"z":{"$ref":"#/$defs/c"}},"$defs":{
      "a":{"type":"object","properties":{"b":{"$ref":"#/$defs/b"},"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}},
      "b":{"type":"object","properties":{"a-a":{"$ref":"#/$defs/a"},"kind":{"enum":["x\"y"]}}},
      "c":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/c"}},{"type":"string"}]}}}})");
  for (auto part : {R"(a: "NotRequired[list[FA]]")", R"(: TypeAlias = "list[)", R"("x-y": NotRequired[FA],)",
                    R"("kind": NotRequired[Literal["x\"y"]],)"})
    EXPECT_NE(text.find(part), text.npos) << part << " in\n" << text;
}

TEST(python_stub, is_bounded_for_hostile_schemas) {
  for (auto& schema : test::hostile_schemas()) {
    boost::json::object definition{{"inputSchema", schema}, {"outputSchema", schema}};
    auto begin = test::cpu_time();
    auto text = types::python_of({"s", "f", "", msg::document{boost::json::value(std::move(definition))}});
    auto took = test::cpu_time() - begin;
    EXPECT_LE(text.size(), types::bounds::signature_bytes_max);
    EXPECT_LT(took, test::hostile_schema_time_max) << text::to_text(schema).substr(0, 100);
  }
}

} // namespace signatures_python_test
