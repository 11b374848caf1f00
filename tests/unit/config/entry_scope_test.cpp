#include "config/entry_scope.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace config_entry_scope_test {

class entry_scope_test : public testing::Test {
protected:
  entry_scope_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    std::filesystem::create_directories(env_.home + "/.cursor");
    std::filesystem::create_directories(env_.cwd);
    folder_.write("project/server.py", "");
    folder_.write("project/pkg/server.py", "");
  }
  /// Of the only entry.
  std::string scope_of(std::string_view path, std::string_view text) {
    folder_.write(path, text);
    auto list = config::load_servers(env_, "/nowhere/code-executor");
    std::filesystem::remove(folder_.path(std::string{path}));
    EXPECT_EQ(list.entries.size(), 1u) << text;
    return list.entries.empty() ? "?" : list.entries.front().scope;
  }
  std::string of_user(const std::string& entry) {
    return scope_of("home/.cursor/mcp.json", R"({"mcpServers":{"a":)" + entry + "}}");
  }

  test::folder folder_;
  config::environment env_;
};

TEST_F(entry_scope_test, is_the_project_for_entries_of_its_files) {
  EXPECT_EQ(scope_of("project/.mcp.json", R"({"mcpServers":{"a":{"command":"npx","args":["-y","x"]}}})"), env_.cwd);
  EXPECT_EQ(
    scope_of("home/.claude.json", R"({"projects":{")" + env_.cwd + R"(":{"mcpServers":{"a":{"command":"npx"}}}}})"),
    env_.cwd);
}

TEST_F(entry_scope_test, is_nothing_for_what_is_the_same_everywhere) {
  for (auto entry :
       {R"({"command":"npx","args":["-y","@scope/pkg.js"]})", R"({"command":"/usr/bin/x","args":["a/b"]})",
        R"({"command":"docker","args":["run","ghcr.io/a/b"]})", R"({"url":"https://x/y"})",
        R"({"command":"python3","args":["/abs/server.py"]})", R"({"command":"python3","args":["-m","json.tool"]})",
        R"({"command":"python3","args":["server.py"],"cwd":"/abs"})"})
    EXPECT_EQ(of_user(entry), "") << entry;
}

TEST_F(entry_scope_test, is_the_folder_in_which_something_is_found) {
  for (auto entry :
       {R"({"command":"python3","args":["server.py"]})", R"({"command":"./run"})",
        R"({"command":"node","args":["../x/index.js"]})", R"({"command":"python3","args":["s.py"],"cwd":"./sub"})",
        R"({"command":"sh","args":["-c","exec python3 server.py"]})", R"({"command":"python3","args":["-m","server"]})",
        R"({"command":"python3","args":["-mpkg.server"]})", R"({"command":"python3","args":["pkg"]})",
        R"({"command":"uv","args":["--directory=pkg","run","x"]})",
        R"({"command":"x","args":["1","2","3","4","5","6","7","8","9","server.py"]})"})
    EXPECT_EQ(of_user(entry), env_.cwd) << entry;
}

TEST_F(entry_scope_test, is_the_folder_that_managers_and_variables_look_at) {
  for (auto entry : {R"({"command":"make","args":["-s","mcp"]})", R"({"command":"npm","args":["run","mcp"]})",
                     R"({"command":"npx","args":["-y","some-mcp@1.2"]})", R"({"command":"uv","args":["run","x"]})",
                     R"({"command":"docker","args":["compose","run","mcp"]})"})
    EXPECT_EQ(of_user(entry), "") << entry;
  for (auto* file : {"Makefile", "package.json", "node_modules/.bin/some-mcp", "pyproject.toml", "compose.yaml"})
    folder_.write(std::string{"project/"} + file, "");
  for (auto entry :
       {R"({"command":"make","args":["-s","mcp"]})", R"({"command":"npm","args":["run","mcp"]})",
        R"({"command":"npx","args":["-y","some-mcp@1.2"]})", R"({"command":"uv","args":["run","x"]})",
        R"({"command":"docker","args":["compose","run","mcp"]})",
        R"({"command":"python3","args":["-um","pkg.server"]})", R"({"command":"x","env":{"PYTHONPATH":"src"}})",
        R"({"command":"x","env":{"PATH":"bin:/usr/bin"}})"})
    EXPECT_EQ(of_user(entry), env_.cwd) << entry;
  for (auto entry : {R"({"command":"npx","args":["-y","other-mcp"]})", R"({"command":"uvx","args":["x"]})",
                     R"({"command":"docker","args":["run","-i","image"]})"})
    EXPECT_EQ(of_user(entry), "") << entry;
}

} // namespace config_entry_scope_test
