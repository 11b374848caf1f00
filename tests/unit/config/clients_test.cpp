// Every client's file is found, and its entries are understood as that client writes them.
#include "config/clients.hpp"

#include "config/server_list.hpp"
#include "tests/unit/support/folder.hpp"

#include <gtest/gtest.h>

#include <set>

namespace config_clients_test {

using strings = std::vector<std::string>;
using pairs = std::vector<std::pair<std::string, std::string>>;
using msg::transport_kind;
using msg::variable_syntax;

class clients_test : public testing::Test {
protected:
  clients_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    env_.path = "/nowhere";
  }
  config::server_list load() {
    return config::load_servers(env_, "/nowhere/code-executor", [](auto&) { return config::approval::given; });
  }

  /// The only server of one file of a client.
  msg::server_entry only(std::string_view path, std::string_view text) {
    folder_.write(path, text);
    auto l = load();
    std::filesystem::remove(folder_.path(path));
    for (auto& p : l.problems)
      ADD_FAILURE() << p;
    if (l.entries.size() != 1) {
      ADD_FAILURE() << path << ": " << l.entries.size() << " servers";
      return {};
    }
    return l.entries[0];
  }
  test::folder folder_;
  config::environment env_;
};

// ---- the table ---------------------------------------------------------------------------------

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
    EXPECT_TRUE(seen.insert(std::to_string(static_cast<int>(c.root)) + c.path + "#" + (c.container ? c.container : "")).second) << c.path;
}

TEST_F(clients_test, variables_move_files) {
  struct {
    const char *variable, *value, *file, *text, *client;
  } const cases[] = {
    {"CLAUDE_CONFIG_DIR", "home/elsewhere", "home/elsewhere/.claude.json", R"({"mcpServers":{"s":{"command":"run"}}})", "Claude Code (user)"},
    {"XDG_CONFIG_HOME", "home/xdg", "home/xdg/goose/config.yaml", "extensions: {s: {cmd: run}}", "Goose (user)"},
    {"CODEX_HOME", "home/cx", "home/cx/config.toml", "[mcp_servers.s]\ncommand = 'run'", "Codex (user)"},
    {"OPENCODE_CONFIG", "home/my.json", "home/my.json", R"({"mcp":{"s":{"command":["run"]}}})", "opencode (user)"},
    {"OPENCODE_CONFIG_DIR", "home/oc", "home/oc/opencode.jsonc", R"({"mcp":{"s":{"command":["run"]}},})", "opencode (user)"},
    {"CLINE_MCP_SETTINGS_PATH", "home/cl.json", "home/cl.json", R"({"mcpServers":{"s":{"command":"run"}}})", "Cline (CLI)"},
    {"MCP_SERVERS_CONFIG", "home/more.json", "home/more.json", R"({"mcpServers":{"s":{"command":"run"}}})", "MCP_SERVERS_CONFIG"},
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
  env_.mcp_config_path = folder_.write("home/.gemini/settings.json", R"({"mcpServers":{"s":{"command":"run","timeout":5000}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 1u);
  EXPECT_EQ(l.entries[0].client, "MCP_CONFIG_PATH");
  EXPECT_EQ(l.entries[0].syntax, variable_syntax::gemini);
  EXPECT_EQ(l.entries[0].call_timeout_ms, 5'000u);
  EXPECT_TRUE(l.entries[0].shadows.empty());
}

// ---- how each writes ---------------------------------------------------------------------------

TEST_F(clients_test, claude_code) {
  auto e = only("home/.claude.json", R"({"numStartups":3,"projects":{"/other":{"mcpServers":{"x":{"command":"x"}}}},
    "mcpServers":{"s":{"type":"stdio","command":"npx","args":["-y","server"],"env":{"TOKEN":"${TOKEN}"}}}})");
  EXPECT_EQ(e.args, (strings{"-y", "server"}));
  EXPECT_EQ(e.env, (pairs{{"TOKEN", "${TOKEN}"}}));
}

TEST_F(clients_test, local_beats_project_beats_user_for_claude_code) {
  auto p = folder_.write("project/.mcp.json", R"({"mcpServers":{"a":{"command":"project"},"b":{"command":"project"}}})");
  auto u = folder_.write("home/.claude.json", R"({"mcpServers":{"a":{"command":"user"},"b":{"command":"user"},"c":{"command":"user"}},"projects":{")"
                                                + env_.cwd + R"(":{"mcpServers":{"a":{"command":"local"}}}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 3u);
  EXPECT_EQ(l.entries[0].command, "local");
  EXPECT_EQ(l.entries[0].shadows, (strings{p, u}));
  EXPECT_EQ(l.entries[1].command, "project");
  EXPECT_EQ(l.entries[2].command, "user");
  EXPECT_EQ(l.files, (strings{u, p}));
}

TEST_F(clients_test, claude_code_switches_servers_off_by_name) {
  folder_.write("project/.mcp.json", R"({"mcpServers":{"a":{"command":"x"},"b":{"command":"x"},"on":{"command":"x"}}})");
  folder_.write("project/.claude/settings.local.json", R"({"disabledMcpjsonServers":["a"]})");
  folder_.write("project/.cursor/mcp.json", R"({"mcpServers":{"c":{"command":"x"}}})");
  folder_.write("home/.claude.json", R"({"mcpServers":{"u":{"command":"x"}},"projects":{")" + env_.cwd
                                       + R"(":{"disabledMcpServers":["u","c",5],"disabledMcpjsonServers":["b","u2"]}}})");
  strings off;
  for (auto& e : load().entries)
    if (e.disabled)
      off.push_back(e.name);
  EXPECT_EQ(off, (strings{"a", "b", "u"})) << "c is Cursor's";
}

TEST_F(clients_test, cursor) {
  auto e =
    only("home/.cursor/mcp.json",
         R"({"mcpServers":{"s":{"command":"python","args":["${workspaceFolder}/x.py"],"env":{"K":"${env:K}"},"envFile":"${userHome}/.env"}}})");
  EXPECT_EQ(e.env_file, "${userHome}/.env");
  EXPECT_EQ(e.args, strings{"${workspaceFolder}/x.py"}) << "resolved when it is started";
  EXPECT_EQ(only("home/.cursor/mcp.json", R"({"s":{"command":"run"}})").command, "run") << "the file itself is the list";
}

TEST_F(clients_test, vs_code) {
  auto e = only("project/.vscode/mcp.json", R"({
    // asked once
    "inputs": [{"type":"promptString","id":"key","password":true}],
    "servers": {"s":{"type":"stdio","command":"run","env":{"KEY":"${input:key}"},"envFile":".env","dev":{"watch":"x"},},},
  })");
  EXPECT_EQ(e.env, (pairs{{"KEY", "${input:key}"}}));
  e = only("home/.config/Code/User/settings.json", R"({"editor.fontSize":12,"mcp":{"servers":{"s":{"command":"old"}}}})");
  EXPECT_EQ(e.command, "old");
}

TEST_F(clients_test, urls_in_every_spelling) {
  struct {
    const char *file, *entry;
    transport_kind kind;
  } const cases[] = {
    {"project/.mcp.json", R"({"type":"http","url":"https://x/"})", transport_kind::streamable_http},
    {"project/.mcp.json", R"({"type":"sse","url":"https://x/"})", transport_kind::sse},
    {"project/.mcp.json", R"({"url":"https://x/"})", transport_kind::automatic},
    {"project/.mcp.json", R"({"transport":"sse","url":"https://x/"})", transport_kind::sse},
    {"home/.codeium/windsurf/mcp_config.json", R"({"serverUrl":"https://x/"})", transport_kind::automatic},
    {"home/.gemini/antigravity/mcp_config.json", R"({"serverUrl":"https://x/"})", transport_kind::automatic},
    {"home/.gemini/settings.json", R"({"url":"https://x/"})", transport_kind::sse},
    {"home/.gemini/settings.json", R"({"httpUrl":"https://x/"})", transport_kind::streamable_http},
    {"home/.cline/data/settings/cline_mcp_settings.json", R"({"type":"streamableHttp","url":"https://x/"})", transport_kind::streamable_http},
    {"home/.lmstudio/mcp.json", R"({"baseUrl":"https://x/"})", transport_kind::automatic},
  };
  for (auto& c : cases) {
    auto entry = std::string{c.entry};
    entry.insert(1, R"("headers":{"Authorization":"Bearer x"},)");
    auto e = only(c.file, R"({"mcpServers":{"s":)" + entry + "}}");
    EXPECT_EQ(e.url, "https://x/") << c.entry;
    EXPECT_EQ(e.transport, c.kind) << c.file << " " << c.entry;
    EXPECT_EQ(e.headers, (pairs{{"Authorization", "Bearer x"}}));
    EXPECT_EQ(e.unusable, "servers with a url (HTTP, SSE) are not supported by this version");
  }
}

TEST_F(clients_test, windsurf_and_kiro_leave_out_tools) {
  for (auto* file : {"home/.codeium/windsurf/mcp_config.json", "project/.kiro/settings/mcp.json"}) {
    auto e = only(file, R"({"mcpServers":{"s":{"command":"run","disabled":true,"disabledTools":["drop","delete_*"]}}})");
    EXPECT_TRUE(e.disabled) << file;
    EXPECT_TRUE(e.tools.everything);
    EXPECT_EQ(e.tools.denied, (strings{"drop", "delete_*"})) << file;
  }
}

TEST_F(clients_test, zed) {
  auto e = only("home/.config/zed/settings.json", R"({
    "theme": "One Dark", // mine
    "context_servers": {"s":{"source":"custom","command":"run","args":["x"],"env":null,"timeout":90,"enabled":false},},
  })");
  EXPECT_EQ(e.call_timeout_ms, 90'000u);
  EXPECT_TRUE(e.disabled);
  e = only("home/.config/zed/settings.json", R"({"context_servers":{"s":{"settings":{"token":"x"}}}})");
  EXPECT_NE(e.unusable.find("extension"), std::string::npos) << e.unusable;
}

TEST_F(clients_test, codex) {
  auto e = only("home/.codex/config.toml", R"(
model = "gpt-5"
[tools]
web_search = true
[mcp_servers.s]
command = "npx"
args = ["-y", "server"]
cwd = "/w"
env_vars = ["TOKEN", "OTHER"]
startup_timeout_sec = 20
tool_timeout_sec = 4.5
enabled = false
enabled_tools = ["read", "list"]
disabled_tools = ["list"]
[mcp_servers.s.env]
MODE = "${literal}"
PORT = 8080
[mcp_servers.s.tools.read]
approval_mode = "auto"
)");
  EXPECT_EQ(e.command, "npx");
  EXPECT_EQ(e.args, (strings{"-y", "server"}));
  EXPECT_EQ(e.env, (pairs{{"MODE", "${literal}"}, {"PORT", "8080"}}));
  EXPECT_EQ(e.syntax, variable_syntax::none);
  EXPECT_EQ(e.env_names, (strings{"TOKEN", "OTHER"}));
  EXPECT_EQ(e.cwd, "/w");
  EXPECT_EQ(e.call_timeout_ms, 4'500u);
  EXPECT_TRUE(e.disabled);
  EXPECT_FALSE(e.tools.everything);
  EXPECT_EQ(e.tools.allowed, (strings{"read", "list"}));
  EXPECT_EQ(e.tools.denied, strings{"list"});
  e = only("home/.codex/config.toml", "[mcp_servers.s]\nurl = 'https://x'\nhttp_headers = {A = 'b'}\nbearer_token_env_var = 'T'\n");
  EXPECT_EQ(e.headers, (pairs{{"A", "b"}}));
}

TEST_F(clients_test, gemini) {
  auto e = only("project/.gemini/settings.json", R"({"mcp":{"excluded":["s"]},"mcpServers":{"s":{"command":"run","timeout":1500,"trust":true,
    "includeTools":["a"],"excludeTools":["b"]}}})");
  EXPECT_EQ(e.call_timeout_ms, 1'500u);
  EXPECT_FALSE(e.tools.everything);
  EXPECT_EQ(e.tools.allowed, strings{"a"});
  EXPECT_EQ(e.tools.denied, strings{"b"});
  EXPECT_TRUE(e.disabled);
}

TEST_F(clients_test, opencode) {
  auto e = only("project/opencode.json", R"({"$schema":"x","mcp":{"s":{"type":"local","command":["bun","x","server"],"environment":{"K":"{env:K}"},
    "enabled":false,"timeout":5000}}})");
  EXPECT_EQ(e.command, "bun");
  EXPECT_EQ(e.args, (strings{"x", "server"}));
  EXPECT_EQ(e.env, (pairs{{"K", "{env:K}"}}));
  EXPECT_TRUE(e.disabled);
  EXPECT_EQ(e.call_timeout_ms, 0u) << "that one is for the list of tools";
  e = only("project/opencode.json", R"({"mcp":{"s":{"type":"remote","url":"https://x"}}})");
  EXPECT_EQ(e.transport, transport_kind::automatic);
}

TEST_F(clients_test, continue_dev) {
  auto e = only("home/.continue/config.yaml", R"(
name: My Config
version: 1.0.0
models:
  - name: x
mcpServers:
  - name: s
    command: npx
    args:
      - -y
      - server
    env:
      TOKEN: ${{ secrets.TOKEN }}
      EMPTY: ""
      PORT: 8080
      ZIP: 00501
    cwd:
)");
  EXPECT_EQ(e.args, (strings{"-y", "server"}));
  EXPECT_EQ(e.env, (pairs{{"TOKEN", "${{ secrets.TOKEN }}"}, {"EMPTY", ""}, {"PORT", "8080"}, {"ZIP", "00501"}}));
  e = only("project/.continue/mcpServers/one.yaml",
           "name: block\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - {name: s, type: sse, url: 'https://x'}\n");
  EXPECT_EQ(e.transport, transport_kind::sse);
}

TEST_F(clients_test, goose) {
  auto path = folder_.write("home/.config/goose/config.yaml", R"(
GOOSE_PROVIDER: anthropic
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    type: builtin
  s:
    args: [mcp-server]
    available_tools: []
    cmd: uvx
    enabled: false
    env_keys: [TOKEN]
    envs: {MODE: fast}
    timeout: 300
    type: stdio
  far:
    type: streamable_http
    uri: https://x
    available_tools: [one]
)");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 2u) << "builtin extensions are parts of Goose";
  auto &far = l.entries[0], &s = l.entries[1];
  EXPECT_EQ(s.command, "uvx");
  EXPECT_EQ(s.env, (pairs{{"MODE", "fast"}}));
  EXPECT_EQ(s.env_names, strings{"TOKEN"});
  EXPECT_EQ(s.call_timeout_ms, 300'000u);
  EXPECT_TRUE(s.disabled && s.tools.everything);
  EXPECT_EQ(far.transport, transport_kind::streamable_http);
  EXPECT_EQ(far.tools.allowed, strings{"one"});
  EXPECT_TRUE(l.problems.empty());
}

TEST_F(clients_test, cline_counts_seconds) {
  auto e = only("home/.cline/data/settings/cline_mcp_settings.json", R"({"mcpServers":{"s":{"command":"run","timeout":60,"alwaysAllow":["x"]}}})");
  EXPECT_EQ(e.call_timeout_ms, 60'000u);
}

TEST_F(clients_test, copilot_lists_its_tools) {
  auto e = only("home/.copilot/mcp-config.json", R"({"mcpServers":{"s":{"type":"local","command":"run","tools":["*"]}}})");
  EXPECT_FALSE(e.tools.everything);
  EXPECT_EQ(e.tools.allowed, strings{"*"});
}

TEST_F(clients_test, amp_has_a_key_with_a_dot) {
  EXPECT_EQ(only("home/.config/amp/settings.json", R"({"amp.mcpServers":{"s":{"command":"run"}}})").command, "run");
}

TEST_F(clients_test, vibe_has_a_list_of_tables) {
  auto e = only("home/.vibe/config.toml", "[[mcp_servers]]\nname = \"s\"\ntransport = \"stdio\"\ncommand = [\"uvx\", \"server\"]\nargs = [\"-v\"]\n");
  EXPECT_EQ(e.command, "uvx");
  EXPECT_EQ(e.args, (strings{"server", "-v"}));
}

TEST_F(clients_test, folders_have_a_file_for_each_server) {
  folder_.write("home/MCPs/b.json", R"({"mcpServers":{"b":{"command":"x"}}})");
  folder_.write("home/MCPs/a.json", R"({"a":{"command":"x"}})");
  folder_.write("home/MCPs/ignored.txt", "x");
  folder_.write("home/MCPs/.hidden.json", "broken");
  folder_.write("home/.config/mcp/servers/c.json", R"({"mcpServers":{"a":{"command":"first"}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 2u);
  EXPECT_EQ(l.entries[0].command, "first");
  EXPECT_EQ(l.entries[0].shadows, strings{folder_.path("home/MCPs/a.json")});
  EXPECT_EQ(l.entries[1].client, "~/MCPs");
  EXPECT_TRUE(l.problems.empty());
}

} // namespace config_clients_test
