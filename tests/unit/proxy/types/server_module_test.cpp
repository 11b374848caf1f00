#include "proxy/types/server_module.hpp"

#include "tests/unit/support/signatures.hpp"

#include <gtest/gtest.h>

namespace signatures_server_module_test {

using test::tool;

const char* const takes_path =
  R"({"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}})";

TEST(server_module, has_each_tool_under_all_its_names) {
  msg::tool_list tools{tool("read-file", takes_path, "Reads."), tool("read_file", takes_path),
                       tool("list", R"({"inputSchema":{"type":"object"}})")};
  EXPECT_EQ(types::typescript_module({{"my fs", tools}}),
            R"(export interface MyFsTools {
  /** Reads. */
  readFile(params: { path: string }): Promise<unknown>;
  "read-file": MyFsTools["readFile"];
  read_file_2: MyFsTools["readFile"];
  readFile2(params: { path: string }): Promise<unknown>;
  read_file: MyFsTools["readFile2"];
  list(params?: {}): Promise<unknown>;
}
export declare const myFs: MyFsTools;
)");
  EXPECT_EQ(types::python_module("my fs", tools),
            R"("""The tools of the MCP server my fs"""
from typing import Any

async def read_file_2(*, path: str) -> Any:
    """Reads."""
    ...

async def read_file(*, path: str) -> Any: ...

async def list() -> Any: ...

)");
}

TEST(server_module, strict_code_may_not_declare_two_names) {
  auto text = types::typescript_module({{"eval", {tool("f", "{}")}}, {"evaluate", {}}});
  EXPECT_NE(text.find("declare const $eval: EvalTools;\nexport { $eval as eval };\n"), text.npos) << text;
  EXPECT_NE(text.find("export declare const evaluate: EvaluateTools;\n"), text.npos) << text;
}

TEST(server_module, names_of_types_are_unique_over_all_servers) {
  auto* definition = R"({"inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"$ref":"#"}}})";
  auto text = types::typescript_module({{"a-b", {tool("f", definition)}}, {"a_b", {tool("f", definition)}}});
  for (auto part : {"type ABFOutput = ABFOutput[];", "type ABFOutput2 = ABFOutput2[];", "interface ABTools ",
                    "interface ABTools2 ", "const aB: ABTools;", "const aB2: ABTools2;"})
    EXPECT_NE(text.find(part), text.npos) << part << " is missing in\n" << text;
}

TEST(server_module, lists_a_tool_that_is_there_twice) {
  auto text = types::typescript_module({{"s", {tool("read", "{}"), tool("read", "{}")}}});
  EXPECT_NE(text.find("  read(params"), text.npos) << text;
  EXPECT_NE(text.find("  read2(params"), text.npos) << text;
  EXPECT_EQ(text.find("  read:"), text.npos) << text;
}

TEST(server_module, for_checking_nothing_unknown_makes_a_compiler_complain) {
  auto observed =
    R"({"inputSchema":{"type":"object"},"outputSchema":{"type":"string","x-observed":{"samples":9,"version":1}}})";
  msg::tool_list tools{tool("read-file", takes_path), tool("seen", observed)};
  EXPECT_EQ(types::typescript_for_checking({{"my-fs", tools}}),
            R"(export interface MyFsTools {
  readFile(params: { path: string }): Promise<any>;
  "read-file": MyFsTools["readFile"];
  read_file: MyFsTools["readFile"];
  seen(params?: {}): Promise<any>;
}
export interface McpServers {
  "my-fs": MyFsTools;
  myFs: MyFsTools;
  my_fs: MyFsTools;
  [server: string]: any;
}
export interface McpTools {
  "mcp__my-fs__read-file": MyFsTools["read-file"];
  "mcp__my-fs__seen": MyFsTools["seen"];
}
)");
}

TEST(server_module, for_checking_no_server_has_the_name_of_what_lists_them) {
  auto text = types::typescript_for_checking({{"mcp", {tool("f", "{}")}}});
  EXPECT_NE(text.find("export interface McpTools2 {"), text.npos) << text;
  EXPECT_NE(text.find("  mcp: McpTools2;"), text.npos) << text;
}

TEST(server_module, servers_are_mentioned_by_any_of_their_names) {
  msg::tool_list tools{{"my-fs", "a", "", {}}, {"other", "b", "", {}}, {"my-fs", "c", "", {}}};
  auto names = [&](std::string_view code) {
    std::string out;
    for (auto& [server, list] : types::mentioned_in(code, tools))
      out += server + std::to_string(list.size());
    return out;
  };
  EXPECT_EQ(names("mcp['my-fs'].a()"), "my-fs2");
  EXPECT_EQ(names("mcp.myFs.a(); mcp__other__b"), "my-fs2other1");
  EXPECT_EQ(names("return 1"), "");
}

TEST(server_module, is_bounded) {
  msg::tool_list tools;
  boost::json::object properties;
  for (int i = 0; i < 400; ++i)
    properties["property" + std::to_string(i)] =
      boost::json::object{{"type", "string"}, {"description", std::string(50, 'd')}};
  msg::document definition{
    boost::json::value{{"inputSchema", boost::json::object{{"type", "object"}, {"properties", properties}}}}};
  for (int i = 0; i < 300; ++i)
    tools.push_back({"s", "tool" + std::to_string(i), "", definition});
  EXPECT_LT(types::typescript_module({{"s", tools}}).size(), 5u << 20);
  EXPECT_LT(types::python_module("s", tools).size(), 5u << 20);
}

} // namespace signatures_server_module_test
