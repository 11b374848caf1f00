#include "config/server_entry.hpp"
#include "setup/own_entry.hpp"
#include "tests/unit/setup/plan_fixture.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

namespace setup_plan_test {

using setup::entry_change;
using setup::own_entry_wish;
using setup::servers_wish;
using strings = std::vector<std::string>;

class plan : public test::setup_plan {};

TEST_F(plan, every_client_reads_the_entry_that_it_gets) {
  for (auto& c : setup::clients()) {
    auto p = make({c.name});
    ASSERT_EQ(p.clients.size(), 1U);
    EXPECT_EQ(p.clients[0].problem, "") << c.name;
    EXPECT_EQ(p.clients[0].change, entry_change::added) << c.name;
    write(p);
    auto again = look(c.name);
    EXPECT_EQ(again.problem, "") << c.name;
    EXPECT_EQ(again.own_names, strings{"code-executor"}) << c.name << ": " << again.file.text;
    EXPECT_TRUE(make({c.name}).changes().empty()) << c.name << ": the second time something changes";
    auto removed = make({c.name}, servers_wish::stay, own_entry_wish::remove);
    EXPECT_EQ(removed.clients[0].change, entry_change::removed) << c.name;
    write(removed);
    EXPECT_EQ(look(c.name).own_names, strings{}) << c.name;
  }
}

TEST_F(plan, names_and_files_of_clients_are_right) {
  for (auto& c : setup::clients()) {
    EXPECT_EQ(setup::find_client(c.name), &c) << "two clients are called " << c.name;
    EXPECT_NE(setup::place_of(c, env_).file, nullptr) << c.name << " is not in config/clients.cpp";
  }
  EXPECT_EQ(setup::find_client("nobody"), nullptr);
}

TEST_F(plan, finds_clients_by_file_folder_and_program) {
  auto is_installed = [&](const char* name) {
    auto* c = setup::find_client(name);
    return setup::is_installed(*c, setup::place_of(*c, env_), env_);
  };
  folder_.write("home/.config/x", "");
  for (auto& c : setup::clients())
    EXPECT_FALSE(is_installed(c.name)) << c.name;
  folder_.write("home/.claude.json", "{}");
  folder_.write("home/.cursor/other", "");
  folder_.write_program("bin/codex");
  for (auto* name : {"claude-code", "cursor", "codex"})
    EXPECT_TRUE(is_installed(name)) << name;
  EXPECT_FALSE(is_installed("gemini"));
}

TEST_F(plan, the_file_that_is_there_is_the_clients) {
  folder_.write("home/.config/opencode/opencode.jsonc", "// mine\n{}");
  EXPECT_EQ(look("opencode").file.path, env_.home + "/.config/opencode/opencode.jsonc");
  env_.places["CODEX_HOME"] = folder_.path("elsewhere");
  EXPECT_EQ(look("codex").file.path, folder_.path("elsewhere/config.toml"));
}

TEST_F(plan, an_entry_of_another_name_is_ours_if_it_starts_us) {
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers": {"ce": {"command": "env", "args": [")" + own() + R"("]}}})");
  auto p = make({"cursor"});
  EXPECT_EQ(p.clients[0].change, entry_change::none);
  EXPECT_TRUE(p.changes().empty());
}

TEST_F(plan, an_entry_of_our_name_that_starts_something_else_is_replaced) {
  folder_.write("home/.cursor/mcp.json",
                R"({"mcpServers": {"code-executor": {"command": "npx", "args": ["x"], "env": {"A": "1"}}}})");
  folder_.write("home/.gemini/settings.json", R"({"mcpServers": {"code-executor": {"url": "http://x/"}}})");
  auto p = make({"cursor", "gemini"});
  EXPECT_EQ(p.clients[0].change, entry_change::replaced);
  EXPECT_EQ(p.clients[0].after, R"({"mcpServers": {"code-executor": {"command": ")" + own()
                                  + R"(", "args": [], "env": {"A": "1"}, "type": "stdio"}}})");
  EXPECT_EQ(p.clients[1].after.find("url"), std::string::npos) << p.clients[1].after;
  write(p);
  EXPECT_EQ(look("gemini").own_names, strings{"code-executor"});
}

TEST_F(plan, an_entry_that_starts_another_verb_of_ours_is_another_server) {
  folder_.write("home/.cursor/mcp.json",
                R"({"mcpServers": {"gh": {"command": ")" + own()
                  + R"(", "args": ["bridge", "github"]}, "sh": {"command": "sh", "args": ["-c", ")" + own()
                  + R"( replay x"]}}})");
  EXPECT_EQ(make({"cursor"}).clients[0].change, entry_change::added);
  EXPECT_TRUE(make({"cursor"}, servers_wish::stay, own_entry_wish::remove).changes().empty());
  EXPECT_EQ(stays(make({"cursor"}, servers_wish::move).clients[0], "gh"), "it starts code-executor itself");
  folder_.write("home/.cursor/mcp.json",
                R"({"mcpServers": {"x": {"command": ")" + own() + R"(", "args": ["serve", "--http"]}}})");
  EXPECT_EQ(make({"cursor"}).clients[0].change, entry_change::none);
}

TEST_F(plan, an_entry_whose_program_is_gone_is_repaired) {
  folder_.write("home/.cursor/mcp.json",
                R"({"mcpServers": {"code-executor": {"command": "/gone/away/code-executor", "env": {"A": "1"}}}})");
  auto p = make({"cursor"});
  EXPECT_EQ(p.clients[0].change, entry_change::replaced);
  EXPECT_NE(p.clients[0].after.find("\"A\": \"1\""), std::string::npos) << p.clients[0].after;
}

TEST_F(plan, a_toml_list_where_the_client_has_tables_is_left) {
  folder_.write("home/.codex/config.toml", "[[mcp_servers]]\ncommand = 'x'\n");
  auto p = make({"codex"});
  EXPECT_NE(p.clients[0].problem.find("'mcp_servers' must be an object of servers"), std::string::npos)
    << p.clients[0].problem;
}

TEST_F(plan, broken_files_stay_and_the_others_go_on) {
  folder_.write("home/.cursor/mcp.json", "{\n  \"mcpServers\": {,\n");
  folder_.write("home/.codex/config.toml", "[mcp_servers\n");
  folder_.write("home/.config/goose/config.yaml", "extensions: [a\n");
  folder_.write("home/.gemini/settings.json", R"({"mcpServers": [1]})");
  folder_.write("home/.qwen/settings.json", "\xFF\xFE{");
  auto p = make({"cursor", "codex", "goose", "gemini", "qwen", "zed"}, servers_wish::move);
  for (size_t i = 0; i < 5; ++i)
    EXPECT_TRUE(p.clients[i].problem.starts_with(looks_[i].file.path + ": ")) << p.clients[i].problem;
  EXPECT_NE(p.clients[0].problem.find("line 2, column"), std::string::npos) << p.clients[0].problem;
  EXPECT_NE(p.clients[3].problem.find("line 1, column 2: 'mcpServers' must be an object"), std::string::npos);
  ASSERT_EQ(p.changes().size(), 1U);
  EXPECT_EQ(p.changes()[0].path, env_.home + "/.config/zed/settings.json");
}

TEST_F(plan, servers_go_behind_us) {
  folder_.write("home/.cursor/mcp.json", R"({
  // mine
  "mcpServers": {
    "files": {"command": "f", "args": ["${userHome}/x"], "env": {"KEY": "${env:KEY}"}},
    "here": {"command": "h", "args": ["${workspaceFolder}"]},
    "off": {"command": "o", "disabled": true},
    "far": {"url": "https://x/", "headers": {"Authorization": "Bearer ${env:T}"}}, // far
  },
}
)");
  folder_.write("home/.codex/config.toml",
                "model = 'x'\n\n[mcp_servers.files]\ncommand = 'other'\n\n[mcp_servers.git]\ncommand = 'g'\n"
                "tool_timeout_sec = 20\nenv_vars = ['T']\n");
  auto p = make({"cursor", "codex"}, servers_wish::move);
  EXPECT_EQ(p.clients[0].moved, strings{"far"});
  EXPECT_EQ(stays(p.clients[0], "files"), "another client has another server of that name");
  EXPECT_NE(stays(p.clients[0], "here"), "");
  EXPECT_EQ(stays(p.clients[0], "off"), "it is switched off there");
  EXPECT_EQ(p.clients[1].moved, strings{"git"});
  ASSERT_EQ(p.changes().size(), 3U);
  EXPECT_EQ(p.changes()[0].path, servers_file());
  EXPECT_EQ(p.own_changes(), 1U);
  write(p);
  EXPECT_EQ(test::read(servers_file()), R"({
  "mcpServers": {
    "far": {
      "url": "https://x/",
      "headers": {
        "Authorization": "Bearer ${T}"
      }
    },
    "git": {
      "command": "g",
      "args": [],
      "env_vars": ["T"],
      "timeoutMs": 20000
    }
  }
}
)");
  EXPECT_EQ(test::read(folder_.path("home/.codex/config.toml")),
            "model = 'x'\n\n[mcp_servers.files]\ncommand = 'other'\n\n[mcp_servers.code-executor]\ncommand = \"" + own()
              + "\"\nargs = []\ntool_timeout_sec = 330\n");
  EXPECT_TRUE(make({"cursor", "codex"}, servers_wish::move).changes().empty()) << "the second time something changes";
}

TEST_F(plan, a_file_of_two_clients_is_changed_once) {
  auto file = folder_.write("home/dot/mcp.json", R"({"mcpServers": {"a": {"command": "x"}}})");
  for (auto* path : {"home/.codeium/windsurf", "home/.lmstudio"})
    std::filesystem::create_directories(folder_.path(path));
  std::filesystem::create_symlink(file, folder_.path("home/.codeium/windsurf/mcp_config.json"));
  std::filesystem::create_symlink(file, folder_.path("home/.lmstudio/mcp.json"));
  auto p = make({"windsurf", "lm-studio"}, servers_wish::move);
  ASSERT_EQ(p.changes().size(), 2U);
  for (auto& c : p.clients) {
    EXPECT_EQ(c.problem, "");
    EXPECT_EQ(c.change, entry_change::added);
    EXPECT_EQ(c.moved, strings{"a"});
    EXPECT_EQ(c.written_path(), looks_[0].file.path);
  }
  write(p);
  EXPECT_TRUE(make({"windsurf", "lm-studio"}, servers_wish::move).changes().empty());
}

TEST_F(plan, our_file_with_servers_is_the_users_alone) {
  auto path = folder_.write("home/.config/code-executor/servers.json", "{}");
  ::chmod(path.c_str(), 0644);
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers": {"a": {"command": "x"}}})");
  ASSERT_EQ(make({"cursor"}, servers_wish::move).changes().size(), 2U);
  write(make({"cursor"}, servers_wish::move));
  struct stat s {};
  ::stat(path.c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777U, 0600U);
}

TEST_F(plan, paths_that_go_away_are_not_written) {
  EXPECT_TRUE(setup::is_lasting("/usr/bin/code-executor"));
  EXPECT_TRUE(setup::is_lasting("/usr/lib/node_modules/code-executor/bin/code-executor"));
  EXPECT_FALSE(setup::is_lasting("/home/you/p/node_modules/.bin/code-executor"));
  EXPECT_FALSE(setup::is_lasting("/home/you/.npm/_npx/1a2b/code-executor"));
}

TEST_F(plan, nothing_is_moved_into_a_file_that_is_broken) {
  folder_.write("home/.config/code-executor/servers.json", "{ broken");
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers": {"a": {"command": "x"}}})");
  auto p = make({"cursor"}, servers_wish::move);
  EXPECT_EQ(p.clients[0].moved, strings{});
  EXPECT_TRUE(stays(p.clients[0], "a").starts_with(servers_file() + ": line 1, column ")) << stays(p.clients[0], "a");
  EXPECT_NE(p.own.problem, "");
  EXPECT_EQ(p.changes().size(), 1U);
}

TEST_F(plan, what_a_client_switches_off_or_forbids_stays) {
  folder_.write("home/.claude.json", R"({"mcpServers": {"cl": {"command": "x"}, "on": {"command": "x"},
    "helped": {"url": "https://h/", "headersHelper": "/bin/secret"}, "my.db": {"command": "x"}},
    "projects": {"/some/where": {"disabledMcpServers": ["cl"], "history": ["on"]}}})");
  folder_.write("home/.claude/settings.json", R"j({"permissions": {"deny": ["mcp__my_db__drop", "Bash(on *)"]}})j");
  folder_.write("home/.gemini/settings.json",
                R"({"mcp": {"allowed": ["ga"]}, "mcpServers": {"gn": {"command": "x"}}})");
  folder_.write("home/.qwen/settings.json",
                R"({"mcp": {"excluded": ["qx"]}, "mcpServers": {"qx": {"command": "x"}, "qy": {"command": "y"}}})");
  folder_.write("home/.config/opencode/opencode.json", R"({"mcp": {"oq": {"type": "local", "command": ["x"]},
    "free": {"type": "local", "command": ["f"]}}, "permission": {"oq_*": "deny", "bash": {"*": "ask"}}})");
  folder_.write("home/.codex/config.toml",
                "[mcp_servers.cw]\ncommand = 'x'\n[mcp_servers.cw.tools.del]\napproval_mode = 'prompt'\n");
  auto p = make({"claude-code", "gemini", "qwen", "opencode", "codex"}, servers_wish::move);
  EXPECT_EQ(p.clients[0].moved, strings{"on"});
  EXPECT_EQ(stays(p.clients[0], "cl"), "'projects./some/where.disabledMcpServers' in " + env_.home
                                         + "/.claude.json says whether it may be used, which only its client follows");
  EXPECT_EQ(stays(p.clients[0], "helped"), "it has 'headersHelper', which only its client understands");
  EXPECT_NE(stays(p.clients[0], "my.db").find("'permissions.deny' in "), std::string::npos);
  EXPECT_EQ(p.clients[1].moved, strings{});
  EXPECT_EQ(p.clients[2].moved, strings{"qy"});
  EXPECT_EQ(p.clients[3].moved, strings{"free"});
  EXPECT_EQ(p.clients[4].moved, strings{});
  EXPECT_EQ(setup::movable(looks_[0]), 1U);
}

TEST_F(plan, a_broken_file_of_switches_keeps_all_servers_in_their_client) {
  folder_.write("home/.claude.json", R"({"mcpServers": {"on": {"command": "x"}}})");
  folder_.write("home/.claude/settings.json", "{");
  auto p = make({"claude-code"}, servers_wish::move);
  EXPECT_EQ(stays(p.clients[0], "on"), env_.home + "/.claude/settings.json can not be read, and may switch it off");
}

TEST_F(plan, what_the_real_list_has_switched_off_stays) {
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}})");
  auto cursor = look("cursor");
  config::server_list known;
  for (auto& entry : cursor.others)
    known.entries.push_back(entry), known.entries.back().disabled = entry.name == "a";
  setup::find_switched_off(known, cursor.file.path, cursor.staying);
  EXPECT_EQ(cursor.staying, (setup::reasons_to_stay{{"a", "it is switched off there"}}));
}

TEST_F(plan, what_our_file_has_already_is_kept) {
  folder_.write("home/.config/code-executor/servers.json",
                R"({"mcpServers": {"a": {"command": "x", "args": []}, "b": {"command": "mine"}}})");
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}})");
  auto p = make({"cursor"}, servers_wish::move);
  EXPECT_EQ(p.clients[0].moved, strings{"a"});
  EXPECT_EQ(stays(p.clients[0], "b"), servers_file() + " has another server of that name");
  EXPECT_EQ(p.own.added, strings{});
}

TEST_F(plan, spellings_of_variables) {
  struct {
    msg::variable_syntax syntax;
    const char *text, *ours;
  } const cases[] = {
    {msg::variable_syntax::shell, "${A:-b} $C {env:D}", "${A:-b} $C {env:D}"},
    {msg::variable_syntax::none, "a $b", "a $b"},
    {msg::variable_syntax::none, "a ${b}", nullptr},
    {msg::variable_syntax::editor, "${env:A_1}/${userHome}", "${A_1}/${HOME}"},
    {msg::variable_syntax::editor, "${A}", nullptr},
    {msg::variable_syntax::editor, "${input:a}", nullptr},
    {msg::variable_syntax::editor, "${file:/a}", nullptr},
    {msg::variable_syntax::editor, "${env:A", nullptr},
    {msg::variable_syntax::gemini, "$A/${B}", "${A}/${B}"},
    {msg::variable_syntax::gemini, "${B:-c}", nullptr},
    {msg::variable_syntax::gemini, "5$", "5$"},
    {msg::variable_syntax::opencode, "{env:A}{b}", "${A}{b}"},
    {msg::variable_syntax::opencode, "{file:a}", nullptr},
    {msg::variable_syntax::opencode, "${A}", nullptr},
    {msg::variable_syntax::mustache, "${{ secrets.A }}", nullptr},
    {msg::variable_syntax::mustache, "a", "a"},
  };
  for (auto& c : cases) {
    msg::server_entry entry;
    entry.name = "x";
    entry.command = "it";
    entry.args = {c.text};
    entry.syntax = c.syntax;
    auto ours = setup::own_entry(entry);
    EXPECT_EQ(ours.ok(), c.ours != nullptr) << c.text;
    if (ours.ok() && c.ours) {
      EXPECT_EQ(text::to_text(ours.value), "{\"command\":\"it\",\"args\":[\"" + std::string{c.ours} + "\"]}");
    }
  }
}

} // namespace setup_plan_test
