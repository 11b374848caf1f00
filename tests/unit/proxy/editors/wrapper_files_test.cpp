#include "proxy/editors/wrapper_files.hpp"

#include "proxy/editors/guest_api.hpp"
#include "proxy/types/server_module.hpp"
#include "tests/unit/support/signatures.hpp"

#include <gtest/gtest.h>

namespace editors_wrapper_files_test {

using test::tool;

std::vector<editors::generated_file> files(const std::vector<std::string>& names, const std::string& server,
                                           const msg::tool_list& tools) {
  auto placed = editors::place_servers(names);
  for (auto& each : placed)
    if (each.name == server)
      return editors::files_of_server(placed, each, tools, types::aliases_of(tools));
  return {};
}

const char* const takes_path =
  R"({"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}})";

TEST(editors_wrapper_files, of_a_server) {
  auto made = files({"my fs"}, "my fs", {tool("read-file", takes_path, "Reads */ \"\"\" it.")});
  ASSERT_EQ(made.size(), 5u);
  EXPECT_EQ(made[0].path, "wrappers/typescript/my-fs.ts");
  EXPECT_EQ(
    made[0].text,
    R"(// code-executor:generated my-fs.ts by `code-executor sync-wrappers`, which writes it anew: the tools of the MCP server "my fs"
export interface MyFsTools {
  /** Reads *\/ """ it. */
  readFile(params: { path: string }): Promise<any>;
  "read-file": MyFsTools["readFile"];
  read_file: MyFsTools["readFile"];
}
const tools = (globalThis as unknown as { mcp: { "my fs": MyFsTools } }).mcp["my fs"];
export { tools as myFs };
declare global {
  interface CodeExecutorServers {
    "my fs": MyFsTools;
    myFs: MyFsTools;
    my_fs: MyFsTools;
  }
  interface CodeExecutorTools {
    "mcp__my fs__read-file": MyFsTools["read-file"];
  }
}
)");
  EXPECT_EQ(made[1].path, "wrappers/python/my_fs.pyi");
  EXPECT_NE(made[1].text.find("async def read_file(*, path: str) -> Any:\n    \"\"\"Reads */ \\\"\\\"\\\" it.\"\"\""),
            std::string::npos)
    << made[1].text;
  EXPECT_EQ(made[2].path, "wrappers/python/my_fs.py");
  EXPECT_NE(made[2].text.find("_tools = mcp[\"my fs\"]\n"), std::string::npos) << made[2].text;
  EXPECT_EQ(made[3].path, "wrappers/.stubs/mcp_my_fs.pyi");
  EXPECT_EQ(made[4].path, "wrappers/.stubs/mcp/servers/my_fs.pyi");
  for (size_t i : {3u, 4u})
    EXPECT_TRUE(made[i].text.ends_with("\nfrom wrappers.python.my_fs import read_file as read_file\n")) << made[i].text;
}

TEST(editors_wrapper_files, of_names_that_no_module_can_have_there_are_no_stubs) {
  EXPECT_EQ(files({"servers"}, "servers", {}).size(), 3u) << "mcp_servers is something else";
  EXPECT_EQ(files({"fs", "FS"}, "FS", {}).size(), 3u) << "its file has a digest in its name";
  EXPECT_EQ(editors::paths_of(editors::place_servers({"servers"})[0]).size(), 3u);
  EXPECT_EQ(editors::paths_of(editors::place_servers({"kid"})[0]).size(), 5u);
}

TEST(editors_wrapper_files, names_that_mean_something_to_python_are_left_out) {
  auto made = files({"s"}, "s", {tool("__getattr__", "{}"), tool("_x", "{}")});
  EXPECT_EQ(made[1].text.find("__getattr__"), std::string::npos) << made[1].text;
  EXPECT_NE(made[1].text.find("async def _x("), std::string::npos) << made[1].text;
  EXPECT_TRUE(made[3].text.ends_with("\nfrom wrappers.python.s import _x as _x\n")) << made[3].text;
  EXPECT_NE(made[0].text.find("__getattr__"), std::string::npos) << "TypeScript has nothing against it";
}

TEST(editors_wrapper_files, observed_results_are_shown_and_said_to_be_that) {
  auto of = tool("get", "{}");
  of.observed = msg::document::parse(
                  R"({"type":"object","properties":{"n":{"type":"integer"}},"x-observed":{"samples":3,"version":1}})")
                  .value;
  auto made = files({"s"}, "s", {of});
  EXPECT_NE(
    made[0].text.find("/** observed in 3 results, not declared by the server */\ntype SGetOutput = { n?: number };"),
    std::string::npos)
    << made[0].text;
  EXPECT_NE(made[1].text.find("observed in 3 results"), std::string::npos) << made[1].text;
}

TEST(editors_wrapper_files, hostile_names_end_no_line_and_no_string) {
  std::string name{"x\0\n\r\xe2\x80\xa8*/\"\"\"'\\", 14};
  for (auto& file : files({name}, name, {tool("t", "{}")})) {
    EXPECT_EQ(file.text.find('\0'), std::string::npos);
    EXPECT_EQ(file.text.find('\r'), std::string::npos);
    auto first = file.text.substr(0, file.text.find('\n'));
    EXPECT_NE(first.find(editors::generated_mark), std::string::npos);
    EXPECT_EQ(first.find("\xe2\x80\xa8"), std::string::npos) << "a line end of JavaScript";
    EXPECT_LT(first.size(), 500u);
    EXPECT_EQ(file.path.ends_with(".ts"), first.find("coding: utf-8") == std::string::npos) << "Python reads it";
  }
  auto long_name = std::string(100'000, 'n');
  EXPECT_LT(files({long_name}, long_name, {}).front().path.size(), 130u);
}

TEST(editors_wrapper_files, a_long_description_is_shortened) {
  auto made = files({"s"}, "s", {tool("t", "{}", std::string(1 << 20, '*') + "/")});
  for (auto& file : made)
    EXPECT_LT(file.text.size(), 8'000u);
}

TEST(editors_wrapper_files, a_full_name_is_that_of_the_server_with_the_longest_name) {
  std::string part = "    mcp__a__b__c: ";
  EXPECT_NE(files({"a"}, "a", {tool("b__c", "{}")})[0].text.find(part), std::string::npos);
  EXPECT_EQ(files({"a", "a__b"}, "a", {tool("b__c", "{}")})[0].text.find(part), std::string::npos);
  EXPECT_NE(files({"a", "a__b"}, "a__b", {tool("c", "{}")})[0].text.find(part), std::string::npos);
}

TEST(editors_wrapper_files, of_all_servers) {
  auto made = editors::files_of_all(editors::place_servers({"b c", "a", "eval"}));
  EXPECT_EQ(made[0].path, "wrappers/typescript/index.ts");
  EXPECT_NE(
    made[0].text.find("\nexport { a } from \"./a.js\";\nexport { bC } from \"./b-c.js\";\nexport { eval } from"),
    std::string::npos)
    << made[0].text;
  std::vector<std::string> paths;
  for (auto& file : made)
    paths.push_back(file.path);
  EXPECT_EQ(paths,
            (std::vector<std::string>{"wrappers/typescript/index.ts", "mcp-wrappers.ts", "wrappers/__init__.py",
                                      "wrappers/python/__init__.py", "wrappers/.stubs/mcp/__init__.pyi",
                                      "wrappers/.stubs/mcp/runtime.pyi", "wrappers/.stubs/mcp/servers/__init__.pyi"}));
  EXPECT_NE(editors::files_of_all({})[0].text.find("export {};"), std::string::npos);
}

TEST(editors_guest_api, takes_the_servers_from_the_wrappers) {
  auto made = editors::typescript_api(
    "// A.\n\nimport type { McpServers, McpTools } from \"./servers.d.ts\";\n\ndeclare global {}\n");
  EXPECT_TRUE(made.text.starts_with("// code-executor:generated code-executor.d.ts by `code-executor types`"));
  EXPECT_NE(made.text.find("interface CodeExecutorServers"), std::string::npos);
  EXPECT_EQ(made.text.find("servers.d.ts"), std::string::npos);
  EXPECT_TRUE(made.text.ends_with("\ndeclare global {}\n"));
  EXPECT_EQ(editors::typescript_api("something else").text, "");
}

} // namespace editors_wrapper_files_test
