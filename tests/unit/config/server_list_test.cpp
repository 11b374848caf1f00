#include "config/server_list.hpp"

#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace config_server_list_test {

namespace limits = msg::limits;
using strings = std::vector<std::string>;

class server_list_test : public testing::Test {
protected:
  server_list_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    env_.path = folder_.path("bin");
    own_ = folder_.write_program("bin/code-executor");
  }
  config::server_list load() {
    return config::load_servers(env_, own_, [](auto&) { return config::approval::given; });
  }
  std::string project(std::string_view text) { return folder_.write("project/.mcp.json", text); }
  std::string user(std::string_view text) { return folder_.write("home/.claude.json", text); }
  std::string named(std::string_view text) { return env_.mcp_config_path = folder_.write("named.json", text); }
  static strings names(const config::server_list& l) {
    strings out;
    for (auto& e : l.entries)
      out.push_back(e.name);
    return out;
  }
  static std::string all(const strings& problems) {
    std::string out;
    for (auto& p : problems)
      out += p + "\n";
    return out;
  }
  test::folder folder_;
  config::environment env_;
  std::string own_;
};

TEST_F(server_list_test, no_configuration_is_fine) {
  auto l = load();
  EXPECT_TRUE(l.entries.empty() && l.files.empty() && l.problems.empty()) << all(l.problems);
  auto everywhere = config::server_sources(env_).size();
  env_.home.clear();
  auto project = config::server_sources(env_);
  EXPECT_TRUE(!project.empty() && project.size() < everywhere);
  for (auto& s : project)
    EXPECT_TRUE(s.path.starts_with(env_.cwd + "/")) << s.path;
}

TEST_F(server_list_test, reads_every_field_of_an_entry) {
  auto path = project(
    R"({"mcpServers":{"fs":{"command":"npx","args":["-y","fs"],"env":{"A":"1","B":2,"C":true},"cwd":"/w","disabled":true,"type":"stdio","unknown":{}}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 1u) << all(l.problems);
  auto& e = l.entries[0];
  EXPECT_EQ(e.name, "fs");
  EXPECT_EQ(e.command, "npx");
  EXPECT_EQ(e.args, (strings{"-y", "fs"}));
  EXPECT_EQ(e.env, (std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "2"}, {"C", "true"}}));
  EXPECT_EQ(e.cwd, "/w");
  EXPECT_TRUE(e.disabled);
  EXPECT_EQ(e.unusable, "");
  EXPECT_EQ(e.source, path);
  EXPECT_TRUE(e.shadows.empty());
  EXPECT_EQ(l.files, strings{path});
}

TEST_F(server_list_test, named_file_beats_project_beats_user) {
  auto u = user(R"({"mcpServers":{"a":{"command":"user"},"b":{"command":"user"},"d":{"command":"user"}}})");
  auto p = project(R"({"mcpServers":{"a":{"command":"project"},"b":{"command":"project"},"c":{"command":"project"}}})");
  auto n = named(R"({"mcpServers":{"a":{"command":"named"}}})");
  auto l = load();
  ASSERT_EQ(names(l), (strings{"a", "b", "c", "d"}));
  EXPECT_EQ(l.entries[0].command, "named");
  EXPECT_EQ(l.entries[0].shadows, (strings{p, u}));
  EXPECT_EQ(l.entries[1].command, "project");
  EXPECT_EQ(l.entries[1].shadows, strings{u});
  EXPECT_TRUE(l.entries[2].shadows.empty());
  EXPECT_EQ(l.entries[3].source, u);
  EXPECT_EQ(l.files, (strings{n, p, u}));
  EXPECT_TRUE(l.problems.empty()) << all(l.problems);
}

TEST_F(server_list_test, what_only_clients_start_is_known) {
  user(R"({"mcpServers":{"a":{"command":"user-a"},"held":{"command":"held-1","rateLimit":"x"},"us":{"command":")" + own_
       + R"("},"far":{"type":"http","url":"https://x","headersHelper":"./make headers"}}})");
  named(R"({"mcpServers":{"a":{"command":"named-a"}}})");
  project(R"({"mcpServers":{"a":{"command":"project-a"},"p":{"command":1}}})");
  auto l = config::load_servers(env_, own_);
  strings commands;
  for (auto& e : l.of_clients) {
    EXPECT_EQ(msg::is_trusted(e), e.source.find("/project/") == e.source.npos) << e.source;
    commands.push_back(e.name + ": " + e.command);
  }
  std::sort(commands.begin(), commands.end());
  EXPECT_EQ(commands, (strings{"a: project-a", "a: user-a", "far: sh", "held: held-1", "p: ", "us: " + own_}));
}

TEST_F(server_list_test, a_broken_file_is_reported_and_the_rest_loads) {
  auto p = project("{\n\"mcpServers\": {,}}");
  user(R"({"mcpServers":{"a":{"command":"x"}}})");
  auto l = load();
  EXPECT_EQ(names(l), strings{"a"});
  ASSERT_EQ(l.problems.size(), 1u);
  EXPECT_NE(l.problems[0].find(p + ": broken JSON at line 2"), std::string::npos) << l.problems[0];
}

TEST_F(server_list_test, a_file_of_another_kind_is_reported_or_empty) {
  for (auto* text : {"[]", "5", "null", R"({"mcpServers":[]})", R"({"mcpServers":null})"}) {
    project(text);
    EXPECT_EQ(load().problems.size(), 1u) << text;
  }
  project(R"({"other":1})");
  EXPECT_TRUE(load().problems.empty()) << "~/.claude.json is full of other things";
}

TEST_F(server_list_test, a_broken_entry_is_reported_and_the_rest_loads) {
  struct {
    const char *entry, *says;
  } const cases[] = {
    {"5", "expected an object"},
    {"[]", "expected an object"},
    {R"({"command":5})", "'command' must be a string, not 5"},
    {R"({"command":"x","args":"y"})", "'args' must be a list of strings"},
    {R"({"command":"x","args":[1]})", "'args' must be a list of strings, and holds 1"},
    {R"({"command":"x","env":[]})", "'env' must be an object"},
    {R"({"command":"x","env":{"K":{}}})", "'env.K' must be a string"},
    {R"({"command":"x","cwd":5})", "'cwd' must be a string"},
    {R"({"command":["日本語日本語日本語日本語日本語日本語日本語日本語"]})", "'command'"},
    {R"({"command":["x日本語日本語日本語日本語日本語日本語日本語日本語"]})", "'command'"},
  };
  for (auto& c : cases) {
    auto p = project(std::string{R"({"mcpServers":{"good":{"command":"x"},"bad":)"} + c.entry + "}}");
    auto l = load();
    EXPECT_EQ(names(l), strings{"good"}) << c.entry;
    ASSERT_EQ(l.problems.size(), 1u) << c.entry;
    EXPECT_TRUE(l.problems[0].starts_with(p + ": line 1, column ")) << l.problems[0];
    EXPECT_NE(l.problems[0].find(": server 'bad': "), std::string::npos) << l.problems[0];
    EXPECT_NE(l.problems[0].find(c.says), std::string::npos) << l.problems[0];
    EXPECT_TRUE(test::is_valid_utf8(l.problems[0]));
  }
}

TEST_F(server_list_test, problems_never_quote_a_value_of_the_environment) {
  project(R"({"mcpServers":{"bad":{"command":"x","env":{"TOKEN":["s3cret"]}}}})");
  EXPECT_EQ(all(load().problems).find("s3cret"), std::string::npos);
}

TEST_F(server_list_test, entries_that_can_not_be_started_say_why) {
  project(
    R"({"mcpServers":{"http":{"type":"http","url":"https://x"},"none":{},"empty":{"command":""},"both":{"command":"x","url":"y"}}})");
  auto l = load();
  ASSERT_EQ(names(l), (strings{"both", "empty", "http", "none"}));
  EXPECT_EQ(l.entries[0].unusable, "");
  EXPECT_NE(l.entries[1].unusable, "");
  EXPECT_EQ(l.entries[2].unusable, "");
  EXPECT_NE(l.entries[3].unusable.find("'command'"), std::string::npos);
}

TEST_F(server_list_test, a_named_file_that_is_missing_is_a_problem) {
  env_.mcp_config_path = folder_.path("missing.json");
  auto l = load();
  ASSERT_EQ(l.problems.size(), 1u);
  EXPECT_NE(l.problems[0].find("missing.json"), std::string::npos);
  EXPECT_NE(l.problems[0].find("MCP_CONFIG_PATH"), std::string::npos);
  EXPECT_TRUE(l.files.empty());
}

TEST_F(server_list_test, one_file_under_two_roles_is_read_once) {
  env_.mcp_config_path = project(R"({"mcpServers":{"a":{"command":"x"}}})");
  auto l = load();
  EXPECT_EQ(l.files.size(), 1u);
  EXPECT_TRUE(l.entries.at(0).shadows.empty());
}

TEST_F(server_list_test, servers_without_a_name_are_skipped) {
  project(R"({"mcpServers":{"":{"command":"x"},"a":{"command":"x"}}})");
  auto l = load();
  EXPECT_EQ(names(l), strings{"a"});
  EXPECT_EQ(l.problems.size(), 1u);
}

TEST_F(server_list_test, a_folder_has_so_many_files_at_most) {
  for (size_t i = 0; i <= limits::config_folder_files_max; ++i)
    folder_.write("home/MCPs/" + std::to_string(i) + ".json", "{}");
  auto l = load();
  EXPECT_EQ(l.files.size(), limits::config_folder_files_max);
  ASSERT_EQ(l.problems.size(), 1u);
  EXPECT_NE(l.problems[0].find("1001 files"), std::string::npos) << l.problems[0];
}

TEST_F(server_list_test, what_should_be_a_folder_and_is_none_is_told) {
  auto folder = folder_.write("home/MCPs", "x");
  EXPECT_EQ(load().problems, strings{folder + ": is no folder"});
  std::filesystem::remove(folder);
  std::filesystem::create_symlink("/nowhere", folder);
  EXPECT_EQ(load().problems, strings{folder + ": is a link to /nowhere, which is not there"});
}

TEST_F(server_list_test, a_file_has_so_many_problems_at_most) {
  boost::json::object entries;
  for (size_t i = 0; i < 1'000; ++i)
    entries[std::to_string(i)] = i;
  auto p = user(boost::json::serialize(boost::json::object{{"mcpServers", entries}}));
  auto l = load();
  ASSERT_EQ(l.problems.size(), limits::config_problems_max + 1);
  EXPECT_EQ(l.problems.back(), p + ": 900 more problems");
}

TEST_F(server_list_test, the_files_of_a_project_have_so_many_problems_together) {
  boost::json::object entries;
  for (size_t i = 0; i < limits::config_problems_max; ++i)
    entries[std::to_string(i)] = i;
  auto text = boost::json::serialize(boost::json::object{{"mcpServers", entries}});
  std::string last;
  for (size_t i = 10; i < 22; ++i)
    last = folder_.write("project/mcp-servers/" + std::to_string(i) + ".json", text);
  user(text);
  auto l = load();
  EXPECT_EQ(l.problems.size(), limits::config_project_problems_max + 2 + limits::config_problems_max);
  EXPECT_NE(std::find(l.problems.begin(), l.problems.end(), last + ": 100 problems"), l.problems.end())
    << "its servers stay on a reload";
}

/// Each of these files took a minute: a place was looked for from the start of the file for every entry.
TEST_F(server_list_test, files_with_very_many_entries_take_no_longer_for_each) {
  struct {
    const char *name, *begin, *entry, *end;
    size_t entries;
  } const cases[] = {{"project/.mcp.json", R"({"mcpServers":{)", R"("s%zu":{"command":"x"},)", "}}", 100'000},
                     {"project/.mcp.json", R"({"mcpServers":{)", R"("s%zu":{"command":1},)", "}}", 60'000},
                     {"project/.mcp.json", R"({"mcpServers":{)", R"("s%zu":1,)", "}}", 100'000},
                     {"home/.claude.json", R"({"mcpServers":{)", R"("s%zu":{"command":1},)", "}}", 60'000},
                     {"project/.codex/config.toml", "", "[[mcp_servers]]\n#%zu\n", "", 40'000},
                     {"project/.continue/mcpServers/a.yaml", "mcpServers:\n", "- {c: %zu}\n", "", 40'000}};
  for (auto& c : cases) {
    std::string text = c.begin;
    for (size_t i = 0; i < c.entries; ++i) {
      char entry[64];
      text.append(entry, static_cast<size_t>(std::snprintf(entry, sizeof entry, c.entry, i)));
    }
    auto path = folder_.write(c.name, text + c.end);
    auto begin = std::chrono::steady_clock::now();
    auto l = load();
    // With sanitizers.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10}) << c.name << c.entry;
    bool is_users = std::string_view{c.name}.starts_with("home/");
    auto left_out = is_users
                      ? "; " + std::to_string(c.entries - limits::config_servers_max) + " entries are left out"
                      : " (a file of a project has " + std::to_string(config::project_file_servers_max) + " at most); "
                          + std::to_string(c.entries - config::project_file_servers_max) + " entries are left out";
    EXPECT_EQ(l.problems.back(), path + ": too many servers" + left_out) << c.entry;
    std::filesystem::remove(path);
  }
}

TEST_F(server_list_test, there_are_so_many_servers_at_most) {
  boost::json::object entries;
  for (size_t i = 0; i < limits::config_servers_max + 5; ++i)
    entries[std::to_string(i)] = boost::json::object{{"command", "x"}};
  auto path = user(boost::json::serialize(boost::json::object{{"mcpServers", entries}}));
  auto l = load();
  EXPECT_EQ(l.entries.size(), limits::config_servers_max);
  EXPECT_EQ(all(l.problems), path + ": too many servers; 5 entries are left out\n");
}

TEST_F(server_list_test, a_long_name_is_skipped_and_said) {
  std::string longest(config::server_name_bytes_max, 'n');
  auto text = R"({"mcpServers":{")" + longest + R"(":{"command":"x"},")" + longest + R"(n":{"command":"x"}}})";
  for (auto file : {"project/.mcp.json", "home/.claude.json"}) {
    auto path = folder_.write(file, text);
    auto l = load();
    EXPECT_EQ(names(l), strings{longest});
    ASSERT_EQ(l.problems.size(), 1u);
    EXPECT_TRUE(l.problems[0].starts_with(path + ": line 1")) << l.problems[0];
    EXPECT_NE(l.problems[0].find("has 201 bytes; at most 200"), std::string::npos) << l.problems[0];
    EXPECT_LT(l.problems[0].size(), path.size() + 400);
    EXPECT_EQ(l.of_clients.size(), 1u) << "its client starts it: no program writes what that is";
    std::filesystem::remove(path);
  }
}

TEST_F(server_list_test, a_file_of_a_project_has_so_many_servers_at_most) {
  boost::json::object entries;
  for (size_t i = 0; i < config::project_file_servers_max + 1; ++i)
    entries[std::to_string(i)] = boost::json::object{{"command", "x"}};
  auto path = project(boost::json::serialize(boost::json::object{{"mcpServers", entries}}));
  auto l = load();
  EXPECT_EQ(l.entries.size(), config::project_file_servers_max);
  EXPECT_EQ(all(l.problems), path + ": too many servers (a file of a project has 500 at most); 1 entry is left out\n");
}

TEST_F(server_list_test, a_broken_file_is_reported_once) { // two kinds of entries stand in it
  user("{");
  auto l = load();
  EXPECT_EQ(l.problems.size(), 1u) << all(l.problems);
  EXPECT_EQ(l.files.size(), 1u);
}

TEST_F(server_list_test, all_formats_at_once) {
  project(R"({"mcpServers":{"a":{"command":"json"}}})");
  auto toml =
    folder_.write("home/.codex/config.toml", "[mcp_servers.a]\ncommand = 'toml'\n[mcp_servers.b]\ncommand = 'toml'");
  auto yaml =
    folder_.write("home/.config/goose/config.yaml", "extensions: {a: {cmd: yaml}, b: {cmd: yaml}, c: {cmd: yaml}}");
  auto l = load();
  ASSERT_EQ(names(l), (strings{"a", "b", "c"}));
  EXPECT_EQ(l.entries[0].command, "json");
  EXPECT_EQ(l.entries[0].shadows, (strings{toml, yaml}));
  EXPECT_EQ(l.entries[1].command, "toml");
  EXPECT_EQ(l.entries[2].client, "Goose (user)");
}

TEST_F(server_list_test, what_is_given_twice_is_reported) { // every parser of JSON drops one of the two
  auto p = project("{\"mcpServers\":{\"a\":{\"command\":\"1\"},\n\"a\":{\"command\":\"2\"}}}");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 1u);
  EXPECT_EQ(l.entries[0].command, "2");
  EXPECT_EQ(all(l.problems), p + ": line 2, column 1: 'mcpServers.a' is given twice; the last one counts\n");
  project("{\"mcpServers\":{\"a\":{\"command\":\"1\"}},\n\"mcpServers\":{\"b\":{\"command\":\"2\"}}}");
  l = load();
  EXPECT_EQ(names(l), strings{"b"});
  EXPECT_EQ(all(l.problems), p + ": line 2, column 1: 'mcpServers' is given twice; the last one counts\n");
  project(
    R"({"theme":1,"theme":2,"mcpServers":{"a":{"command":"1","args":[],"x":{"y":1,"y":2}},"b":{"command":"1"}}})");
  EXPECT_TRUE(load().problems.empty()) << "what is no list of servers is the client's";
}

// ---- ourselves ---------------------------------------------------------------------------------

TEST_F(server_list_test, entries_that_would_start_ourselves_are_skipped) {
  std::filesystem::create_symlink(own_, folder_.path("bin/innocent"));
  std::filesystem::create_hard_link(own_, folder_.path("bin/twin"));
  std::filesystem::create_directory_symlink(folder_.path("bin"), folder_.path("bin2"));
  folder_.write_program("bin/other");
  boost::json::object entries;
  entries["by-path"] = boost::json::object{{"command", own_}};
  entries["by-name"] = boost::json::object{{"command", "code-executor"}};
  entries["by-link"] = boost::json::object{{"command", "innocent"}};
  entries["by-twin"] = boost::json::object{{"command", folder_.path("bin/twin")}};
  entries["by-folder"] = boost::json::object{{"command", folder_.path("bin2/code-executor")}};
  entries["other"] = boost::json::object{{"command", "other"}};
  entries["code-executor"] = boost::json::object{{"command", "other"}}; // only its name is ours
  entries["missing"] = boost::json::object{{"command", "missing"}};
  project(boost::json::serialize(boost::json::object{{"mcpServers", entries}}));
  EXPECT_EQ(names(load()), (strings{"code-executor", "missing", "other"}));
}

TEST_F(server_list_test, ourselves_are_recognised_through_the_entrys_folder_and_path) {
  boost::json::object entries;
  entries["by-cwd"] = boost::json::object{{"command", "./code-executor"}, {"cwd", folder_.path("bin")}};
  entries["by-env"] =
    boost::json::object{{"command", "code-executor"}, {"env", boost::json::object{{"PATH", folder_.path("bin")}}}};
  env_.path = folder_.path("elsewhere");
  project(boost::json::serialize(boost::json::object{{"mcpServers", entries}}));
  EXPECT_EQ(names(load()), strings{}) << "each of these starts this program again, which starts it again, ...";
}

TEST_F(server_list_test, ourselves_are_recognised_behind_a_variable) {
  ::setenv("CODE_EXECUTOR_TEST_BIN", folder_.path("bin").c_str(), 1);
  project(
    R"({"mcpServers":{"by-variable":{"command":"${CODE_EXECUTOR_TEST_BIN}/code-executor"},"by-default":{"command":"${CODE_EXECUTOR_TEST_UNSET:-code-executor}"}}})");
  EXPECT_EQ(names(load()), strings{}) << "make_launch() expands variables in `command`";
}

} // namespace config_server_list_test
