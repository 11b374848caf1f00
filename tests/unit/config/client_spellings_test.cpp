// The entries of each client are understood as that client writes them.
#include "tests/unit/config/clients_fixture.hpp"

namespace config_clients_test {

TEST_F(clients_test, claude_code) {
  auto e = only("home/.claude.json", R"({"numStartups":3,"projects":{"/other":{"mcpServers":{"x":{"command":"x"}}}},
    "mcpServers":{"s":{"type":"stdio","command":"npx","args":["-y","server"],"env":{"TOKEN":"${TOKEN}"}}}})");
  EXPECT_EQ(e.args, (strings{"-y", "server"}));
  EXPECT_EQ(e.env, (pairs{{"TOKEN", "${TOKEN}"}}));
}

TEST_F(clients_test, local_beats_project_beats_user_for_claude_code) {
  auto p =
    folder_.write("project/.mcp.json", R"({"mcpServers":{"a":{"command":"project"},"b":{"command":"project"}}})");
  auto u = folder_.write(
    "home/.claude.json",
    R"({"mcpServers":{"a":{"command":"user"},"b":{"command":"user"},"c":{"command":"user"}},"projects":{")" + env_.cwd
      + R"(":{"mcpServers":{"a":{"command":"local"}}}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 3u);
  EXPECT_EQ(l.entries[0].command, "local");
  EXPECT_EQ(l.entries[0].shadows, (strings{p, u}));
  EXPECT_EQ(l.entries[1].command, "project");
  EXPECT_EQ(l.entries[2].command, "user");
  EXPECT_EQ(l.files, (strings{u, p}));
}

TEST_F(clients_test, claude_code_switches_servers_off_by_name) {
  folder_.write("project/.mcp.json",
                R"({"mcpServers":{"a":{"command":"x"},"b":{"command":"x"},"on":{"command":"x"}}})");
  folder_.write("project/.claude/settings.local.json", R"({"disabledMcpjsonServers":["a"]})");
  folder_.write("project/.cursor/mcp.json", R"({"mcpServers":{"c":{"command":"x"}}})");
  folder_.write("home/.claude.json",
                R"({"mcpServers":{"u":{"command":"x"}},"projects":{")" + env_.cwd
                  + R"(":{"disabledMcpServers":["u","c",5],"disabledMcpjsonServers":["b","u2"]}}})");
  strings off;
  for (auto& e : load().entries)
    if (e.disabled)
      off.push_back(e.name);
  EXPECT_EQ(off, (strings{"a", "b", "u"})) << "c is Cursor's";
}

TEST_F(clients_test, cursor) {
  auto e = only(
    "home/.cursor/mcp.json",
    R"({"mcpServers":{"s":{"command":"python","args":["${workspaceFolder}/x.py"],"env":{"K":"${env:K}"},"envFile":"${userHome}/.env"}}})");
  EXPECT_EQ(e.env_file, "${userHome}/.env");
  EXPECT_EQ(e.args, strings{"${workspaceFolder}/x.py"}) << "resolved when it is started";
  EXPECT_EQ(only("home/.cursor/mcp.json", R"({"s":{"command":"run"}})").command, "run")
    << "the file itself is the list";
}

TEST_F(clients_test, vs_code) {
  auto e = only("project/.vscode/mcp.json", R"({
    // asked once
    "inputs": [{"type":"promptString","id":"key","password":true}],
    "servers": {"s":{"type":"stdio","command":"run","env":{"KEY":"${input:key}"},"envFile":".env","dev":{"watch":"x"},},},
  })");
  EXPECT_EQ(e.env, (pairs{{"KEY", "${input:key}"}}));
  e =
    only("home/.config/Code/User/settings.json", R"({"editor.fontSize":12,"mcp":{"servers":{"s":{"command":"old"}}}})");
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
    {"home/.cline/data/settings/cline_mcp_settings.json", R"({"type":"streamableHttp","url":"https://x/"})",
     transport_kind::streamable_http},
    {"home/.cline/data/settings/cline_mcp_settings.json", R"({"transportType":"http","url":"https://x/"})",
     transport_kind::streamable_http},
    {"home/.cline/data/settings/cline_mcp_settings.json", R"({"url":"https://x/"})", transport_kind::sse},
    {"home/.lmstudio/mcp.json", R"({"baseUrl":"https://x/"})", transport_kind::automatic},
    {"project/config/mcporter.json", R"({"server_url":"https://x/"})", transport_kind::automatic},
    {"project/.github/mcp.json", R"({"type":"http","url":"https://x/"})", transport_kind::streamable_http},
  };
  for (auto& c : cases) {
    auto entry = std::string{c.entry};
    entry.insert(1, R"("headers":{"Authorization":"Bearer x"},)");
    auto e = only(c.file, R"({"mcpServers":{"s":)" + entry + "}}");
    EXPECT_EQ(e.url, "https://x/") << c.entry;
    EXPECT_EQ(e.transport, c.kind) << c.file << " " << c.entry;
    EXPECT_EQ(e.headers, (pairs{{"Authorization", "Bearer x"}}));
    EXPECT_EQ(e.unusable, "");
  }
}

TEST_F(clients_test, windsurf_and_kiro_leave_out_tools) {
  for (auto* file : {"home/.codeium/windsurf/mcp_config.json", "project/.kiro/settings/mcp.json"}) {
    auto e =
      only(file, R"({"mcpServers":{"s":{"command":"run","disabled":true,"disabledTools":["drop","delete_*"]}}})");
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
  e = only("home/.codex/config.toml",
           "[mcp_servers.s]\nurl = 'https://x'\nhttp_headers = {A = 'b'}\nbearer_token_env_var = 'T'\n");
  EXPECT_EQ(e.headers, (pairs{{"A", "b"}}));
  EXPECT_EQ(e.bearer_name, "T");
  e = only("home/.codex/config.toml", "[mcp_servers.s]\nurl = 'https://x'\nenv_http_headers = {A = 'B'}\n");
  EXPECT_EQ(e.header_names, (pairs{{"A", "B"}}));
}

TEST_F(clients_test, gemini) {
  auto e = only("project/.gemini/settings.json",
                R"({"mcp":{"excluded":["s"]},"mcpServers":{"s":{"command":"run","timeout":1500,"trust":true,
    "includeTools":["a"],"excludeTools":["b"]}}})");
  EXPECT_EQ(e.call_timeout_ms, 1'500u);
  EXPECT_FALSE(e.tools.everything);
  EXPECT_EQ(e.tools.allowed, strings{"a"});
  EXPECT_EQ(e.tools.denied, strings{"b"});
  EXPECT_TRUE(e.disabled);
}

TEST_F(clients_test, opencode) {
  auto e =
    only("project/opencode.json",
         R"({"$schema":"x","mcp":{"s":{"type":"local","command":["bun","x","server"],"environment":{"K":"{env:K}"},
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
  auto e = only("home/.cline/data/settings/cline_mcp_settings.json",
                R"({"mcpServers":{"s":{"command":"run","timeout":60,"alwaysAllow":["x"]}}})");
  EXPECT_EQ(e.call_timeout_ms, 60'000u);
}

TEST_F(clients_test, cline_has_newer_entries_with_an_object_for_the_connection) {
  auto path = "home/.cline/data/settings/cline_mcp_settings.json";
  auto e = only(
    path,
    R"({"mcpServers":{"s":{"transport":{"type":"stdio","command":"npx","args":["-y","server"],"env":{"K":"v"},"cwd":"/w"},
    "disabled":true,"timeout":90,"metadata":{"x":1}}}})");
  EXPECT_EQ(e.command, "npx");
  EXPECT_EQ(e.args, (strings{"-y", "server"}));
  EXPECT_EQ(e.env, (pairs{{"K", "v"}}));
  EXPECT_EQ(e.cwd, "/w");
  EXPECT_EQ(e.transport, transport_kind::stdio);
  EXPECT_EQ(e.call_timeout_ms, 90'000u);
  EXPECT_TRUE(e.disabled) << "what limits it stands outside";
  e = only(
    path,
    R"({"mcpServers":{"s":{"transport":{"type":"stdio","command":"inside"},"command":"outside","args":["x"],"env":{"A":"b"}}}})");
  EXPECT_EQ(e.command, "inside");
  EXPECT_TRUE(e.args.empty() && e.env.empty()) << "nothing of the connection counts outside, as in Cline";
  for (auto& [type, kind] :
       {std::pair{"streamableHttp", transport_kind::streamable_http}, std::pair{"sse", transport_kind::sse}}) {
    e = only(path, R"({"mcpServers":{"s":{"transport":{"type":")" + std::string{type}
                     + R"(","url":"https://x/","headers":{"A":"b"}}}}})");
    EXPECT_EQ(e.transport, kind);
    EXPECT_EQ(e.url, "https://x/");
    EXPECT_EQ(e.headers, (pairs{{"A", "b"}}));
  }
  EXPECT_EQ(only("home/.cursor/mcp.json", R"({"s":{"transport":{"type":"stdio","command":"run"}}})").command, "run")
    << "the file itself is the list";
}

TEST_F(clients_test, what_is_wrong_in_such_an_object_is_told_with_its_place) {
  auto path = folder_.write("home/.cline/data/settings/cline_mcp_settings.json",
                            "{\"mcpServers\":{\"s\":{\n\"transport\":{\"command\":5}}}}");
  auto l = load();
  EXPECT_TRUE(l.entries.empty());
  ASSERT_EQ(l.problems.size(), 1u);
  EXPECT_TRUE(l.problems[0].starts_with(path + ": line 2")) << l.problems[0];
  EXPECT_NE(l.problems[0].find("'command' must be a string"), std::string::npos) << l.problems[0];
}

TEST_F(clients_test, copilot_lists_its_tools) {
  for (auto* path : {"home/.copilot/mcp-config.json", "project/.github/mcp.json"}) {
    auto e = only(
      path,
      R"({"mcpServers":{"s":{"type":"local","command":"run","tools":["*"],"timeout":90000,"workingDirectory":"/w"}}})");
    EXPECT_FALSE(e.tools.everything) << path;
    EXPECT_EQ(e.tools.allowed, strings{"*"});
    EXPECT_EQ(e.call_timeout_ms, 90'000u);
    EXPECT_EQ(e.cwd, "/w");
  }
  EXPECT_EQ(only("project/.github/mcp.json", R"({"s":{"command":"run"}})").command, "run")
    << "the file itself is the list";
}

TEST_F(clients_test, copilot_switches_servers_off_by_name) {
  folder_.write("home/.copilot/mcp-config.json", R"({"mcpServers":{"a":{"command":"x"},"b":{"command":"x"}}})");
  folder_.write("project/.github/mcp.json", R"({"mcpServers":{"c":{"command":"x"}}})");
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers":{"d":{"command":"x"}}})");
  folder_.write("home/.copilot/settings.json", R"({"disabledMcpServers":["a","c","d"]})");
  strings off;
  for (auto& e : load().entries)
    if (e.disabled)
      off.push_back(e.name);
  EXPECT_EQ(off, (strings{"a", "c"})) << "d is Cursor's";
}

TEST_F(clients_test, mcporter) {
  auto e = only("project/config/mcporter.json",
                R"({"mcpServers":{"s":{"description":"x","command":"npx -y 'my server' --port 3","env":{"K":"${K:-v}"},
    "lifecycle":"keep-alive","allowedTools":["read"]}},"imports":["cursor"]})");
  EXPECT_EQ(e.command, "npx") << "a command without arguments is a line of words";
  EXPECT_EQ(e.args, (strings{"-y", "my server", "--port", "3"}));
  EXPECT_EQ(e.env, (pairs{{"K", "${K:-v}"}}));
  EXPECT_EQ(e.syntax, variable_syntax::shell);
  EXPECT_EQ(e.cwd, folder_.path("project/config")) << "paths begin at its file";
  EXPECT_FALSE(e.tools.everything);
  EXPECT_EQ(e.tools.allowed, strings{"read"});
  e = only("home/.mcporter/mcporter.jsonc",
           R"({"mcpServers":{"s":{"executable":"my program","args":["x"],"cwd":"~/w","blocked_tools":["drop"]},}})");
  EXPECT_EQ(e.command, "my program") << "with arguments it is the program alone";
  EXPECT_EQ(e.cwd, "${HOME}/w");
  EXPECT_EQ(e.tools.denied, strings{"drop"});
  folder_.write_program("home/.mcporter/my program");
  e = only("home/.mcporter/mcporter.json", R"({"mcpServers":{"s":{"command":"./my program","cwd":"../w"}}})");
  EXPECT_EQ(e.command, "./my program") << "there is such a file";
  EXPECT_EQ(e.cwd, folder_.path("home/w"));
}

TEST_F(clients_test, a_named_file_of_mcporter_keeps_its_limits) {
  env_.mcp_config_path = folder_.write("home/.mcporter/mcporter.json",
                                       R"({"mcpServers":{"s":{"command":"npx server","allowed_tools":["read"]}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 1u);
  EXPECT_EQ(l.entries[0].client, "MCP_CONFIG_PATH");
  EXPECT_EQ(l.entries[0].command, "npx");
  EXPECT_EQ(l.entries[0].tools.allowed, strings{"read"});
}

TEST_F(clients_test, amp_has_a_key_with_a_dot) {
  EXPECT_EQ(only("home/.config/amp/settings.json", R"({"amp.mcpServers":{"s":{"command":"run"}}})").command, "run");
}

TEST_F(clients_test, vibe_has_a_list_of_tables) {
  auto e =
    only("home/.vibe/config.toml",
         "[[mcp_servers]]\nname = \"s\"\ntransport = \"stdio\"\ncommand = [\"uvx\", \"server\"]\nargs = [\"-v\"]\n");
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
