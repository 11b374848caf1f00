// Every client's file is found.
#include "tests/unit/config/clients_fixture.hpp"

#include <set>

namespace config_clients_test {

/// The least that a file of this kind must hold to list one server.
std::string sample(const config::client_file& client, const std::string& cwd) {
  std::string keys = client.container ? client.container : "mcpServers";
  std::string path = client.path;
  if (path.ends_with(".toml"))
    return "[" + keys + ".s]\ncommand = \"run\"\n";
  if (!path.ends_with(".json") && !path.ends_with(".jsonc"))
    return keys + ":\n  s:\n    command: run\n";
  std::string open, close;
  for (size_t begin = 0; begin <= keys.size();) {
    auto end = std::min(keys.find('/', begin), keys.size());
    auto key = keys.substr(begin, end - begin);
    open += "{\"" + (key == "{project}" ? cwd : key) + "\":";
    close += "}";
    begin = end + 1;
  }
  return open + R"({"s":{"command":"run"}})" + close;
}

TEST_F(clients_test, every_file_of_the_table_is_found) {
  for (auto& client : config::client_files()) {
    auto path = config::path_of(env_, client.root, client.path, client.moved_by);
    if (auto star = path.find('*'); star != path.npos)
      path.replace(star, 1, "some file");
    auto relative = path.substr(folder_.path().size() + 1);
    auto e = only(relative, sample(client, env_.cwd));
    EXPECT_EQ(e.client, client.client) << path;
    EXPECT_EQ(e.source, path);
    EXPECT_EQ(e.command, "run") << path;
    EXPECT_EQ(e.syntax, client.syntax) << path;
    EXPECT_EQ(e.workspace, client.root == config::file_root::project ? env_.cwd : "") << path;
  }
}

TEST_F(clients_test, what_belongs_to_a_project_beats_what_belongs_to_a_user) {
  bool seen_user = false;
  for (auto& client : config::client_files()) {
    std::string_view name = client.client;
    bool is_of_project = name.ends_with("(project)") || name.ends_with("(local)");
    EXPECT_FALSE(is_of_project && seen_user) << name;
    seen_user = seen_user || !is_of_project;
  }
  std::string_view first = config::client_files()[0].client, second = config::client_files()[1].client;
  EXPECT_EQ(first, "Claude Code (local)");
  EXPECT_EQ(second, "Claude Code (project)");
}

TEST_F(clients_test, no_place_is_in_the_table_twice) {
  std::set<std::string> seen;
  for (auto& c : config::client_files())
    EXPECT_TRUE(
      seen.insert(std::to_string(static_cast<int>(c.root)) + c.path + "#" + (c.container ? c.container : "")).second)
      << c.path;
}

TEST_F(clients_test, variables_move_files) {
  struct {
    const char *variable, *value, *file, *text, *client;
  } const cases[] = {
    {"CLAUDE_CONFIG_DIR", "home/elsewhere", "home/elsewhere/.claude.json", R"({"mcpServers":{"s":{"command":"run"}}})",
     "Claude Code (user)"},
    {"XDG_CONFIG_HOME", "home/xdg", "home/xdg/goose/config.yaml", "extensions: {s: {cmd: run}}", "Goose (user)"},
    {"CODEX_HOME", "home/cx", "home/cx/config.toml", "[mcp_servers.s]\ncommand = 'run'", "Codex (user)"},
    {"OPENCODE_CONFIG", "home/my.json", "home/my.json", R"({"mcp":{"s":{"command":["run"]}}})", "opencode (user)"},
    {"OPENCODE_CONFIG_DIR", "home/oc", "home/oc/opencode.jsonc", R"({"mcp":{"s":{"command":["run"]}},})",
     "opencode (user)"},
    {"CLINE_MCP_SETTINGS_PATH", "home/cl.json", "home/cl.json", R"({"mcpServers":{"s":{"command":"run"}}})",
     "Cline (CLI)"},
    {"COPILOT_HOME", "home/cop", "home/cop/mcp-config.json", R"({"mcpServers":{"s":{"command":"run"}}})",
     "Copilot CLI (user)"},
    {"MCPORTER_CONFIG", "home/mp.json", "home/mp.json", R"({"mcpServers":{"s":{"command":"run"}}})", "mcporter (user)"},
    {"MCPORTER_CONFIG", "home/mp.jsonc", "home/mp.jsonc", R"({"mcpServers":{"s":{"command":"run"},}})",
     "mcporter (user)"},
    {"MCP_SERVERS_CONFIG", "home/more.json", "home/more.json", R"({"mcpServers":{"s":{"command":"run"}}})",
     "MCP_SERVERS_CONFIG"},
  };
  for (auto& c : cases) {
    env_.places = {{c.variable, folder_.path(c.value)}};
    auto e = only(c.file, c.text);
    EXPECT_EQ(e.client, c.client) << c.variable;
    EXPECT_EQ(e.command, "run") << c.variable;
  }
}

TEST_F(clients_test, a_named_path_may_begin_at_home_or_at_the_working_directory) {
  EXPECT_EQ(config::absolute(env_, "~/x.json"), folder_.path("home/x.json"));
  EXPECT_EQ(config::absolute(env_, "x.json"), folder_.path("project/x.json"));
  EXPECT_EQ(config::absolute(env_, "/x/../y.json"), "/y.json");
}

TEST_F(clients_test, a_named_file_of_a_client_is_read_as_that_client_would) {
  env_.mcp_config_path =
    folder_.write("home/.gemini/settings.json", R"({"mcpServers":{"s":{"command":"run","timeout":5000}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 1u);
  EXPECT_EQ(l.entries[0].client, "MCP_CONFIG_PATH");
  EXPECT_EQ(l.entries[0].syntax, variable_syntax::gemini);
  EXPECT_EQ(l.entries[0].call_timeout_ms, 5'000u);
  EXPECT_TRUE(l.entries[0].shadows.empty());
}

} // namespace config_clients_test
