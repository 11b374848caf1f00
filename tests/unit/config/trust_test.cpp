// Whose word an entry is, and what that does to the others of its name.
#include "config/server_list.hpp"

#include "config/client_form.hpp"
#include "messages/limits.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace config_trust_test {

using config::approval;
using msg::trust_level;
using strings = std::vector<std::string>;

class trust_test : public testing::Test {
protected:
  trust_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    env_.path = folder_.path("bin");
    own_ = folder_.write_program("bin/code-executor");
    std::filesystem::create_directory(env_.home);
    std::filesystem::create_directory(env_.cwd);
  }
  config::server_list load() const {
    return config::load_servers(env_, own_,
                                [this](auto& e) { return e.command == approved_command_ ? answer_ : approval::none; });
  }
  std::string project(std::string_view text) { return folder_.write("project/.mcp.json", text); }
  std::string user(std::string_view text) { return folder_.write("home/.claude.json", text); }
  void client_settings(std::string_view text) { folder_.write("home/.claude/settings.json", text); }
  trust_level level_of(const std::string& name) const {
    for (auto& e : load().entries)
      if (e.name == name)
        return e.trust;
    ADD_FAILURE() << name;
    return trust_level::user;
  }

  test::folder folder_;
  config::environment env_;
  std::string own_;
  std::string approved_command_ = "approved";
  approval answer_ = approval::given;
};

constexpr auto one = R"({"mcpServers":{"a":{"command":"x"}}})";

TEST_F(trust_test, every_file_of_the_project_is_nobodys_word) {
  size_t seen = 0;
  for (auto& source : config::server_sources(env_)) {
    bool is_below = source.path.starts_with(env_.cwd + "/");
    EXPECT_EQ(source.of_project, is_below) << source.path;
    seen += is_below ? 1 : 0;
  }
  EXPECT_GT(seen, 15u);
  for (auto* file : {".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", "mcp-servers/x.json", "crush.json"}) {
    auto path = folder_.write(std::string{"project/"} + file,
                              std::string_view{file} == "crush.json" ? R"({"mcp":{"a":{"command":"x"}}})" : one);
    EXPECT_EQ(level_of("a"), trust_level::unapproved) << file;
    std::filesystem::remove(path);
  }
}

TEST_F(trust_test, files_of_the_user_and_files_that_the_user_names_are_his_word) {
  user(one);
  EXPECT_EQ(level_of("a"), trust_level::user);
  user(R"({"projects":{")" + env_.cwd + R"(":{"mcpServers":{"a":{"command":"x"}}}}})");
  EXPECT_EQ(level_of("a"), trust_level::user) << "of Claude Code's local scope";
  env_.mcp_config_path = project(one);
  EXPECT_EQ(level_of("a"), trust_level::user);
  env_.mcp_config_path.clear();
  env_.places["MCP_SERVERS_CONFIG"] = ".mcp.json";
  EXPECT_EQ(level_of("a"), trust_level::user);
}

TEST_F(trust_test, the_home_folder_is_no_project) {
  env_.cwd = env_.home;
  folder_.write("home/.mcp.json", one);
  EXPECT_EQ(level_of("a"), trust_level::user);
}

TEST_F(trust_test, what_was_approved_is_trusted_until_it_changes) {
  project(R"({"mcpServers":{"a":{"command":"approved"},"b":{"command":"x"}}})");
  EXPECT_EQ(level_of("a"), trust_level::approved);
  EXPECT_EQ(level_of("b"), trust_level::unapproved);
  answer_ = approval::outdated;
  EXPECT_EQ(level_of("a"), trust_level::changed);
}

TEST_F(trust_test, what_the_client_was_told_in_files_of_the_user_counts) {
  project(one);
  const std::string told[] = {R"({"enabledMcpjsonServers":["a"]})", R"({"enableAllProjectMcpServers":true})"};
  for (auto& text : told) {
    client_settings(text);
    EXPECT_EQ(level_of("a"), trust_level::approved) << text;
    client_settings("{}");
    user(R"({"projects":{")" + env_.cwd + "\":" + text + "}}");
    EXPECT_EQ(level_of("a"), trust_level::approved) << text;
    user(R"({"projects":{"/another":)" + text + "}}");
    EXPECT_EQ(level_of("a"), trust_level::unapproved) << text;
    user("{}");
    for (auto* file : {"project/.claude/settings.json", "project/.claude/settings.local.json"}) {
      auto path = folder_.write(file, text);
      EXPECT_EQ(level_of("a"), trust_level::unapproved) << "the project can not approve itself: " << file;
      std::filesystem::remove(path);
    }
  }
  for (auto* other : {R"({"enabledMcpjsonServers":["b"]})", R"({"enableAllProjectMcpServers":"yes"})",
                      R"({"enableAllProjectMcpServers":false})"}) {
    client_settings(other);
    EXPECT_EQ(level_of("a"), trust_level::unapproved) << other;
  }
}

/// What we would read otherwise than Claude Code, which has shown something else, or nothing.
TEST_F(trust_test, the_clients_word_on_a_name_is_about_what_the_client_reads) {
  client_settings(R"({"enabledMcpjsonServers":["a"]})");
  auto in_list = [](const std::string& fields) { return R"({"mcpServers":{"a":{)" + fields + "}}}"; };
  for (auto* fields :
       {R"("command":"x","args":["y"],"env":{"A":"b"},"type":"stdio","timeout":5,"description":"d")",
        R"("type":"http","url":"https://x.test/","headers":{"A":"b"})", R"("type":"sse","url":"https://x.test/")",
        R"("command":"x","includeTools":["t"],"eager":true,"disabled":false)"}) {
    project(in_list(fields));
    auto l = load();
    EXPECT_EQ(l.entries.at(0).trust, trust_level::approved) << fields;
    EXPECT_EQ(l.problems, strings{}) << fields;
  }
  struct {
    std::string text;
    const char* says;
  } const cases[] = {
    {in_list(R"("command":"x","transport":{"command":"y"})"), "'transport' is nothing that Claude Code reads"},
    {in_list(R"("command":"x","transport":"stdio")"), "'transport'"},
    {in_list(R"("command":"x","envFile":"e")"), "'envFile' is nothing that Claude Code reads"},
    {in_list(R"("command":"x","cwd":"sub")"), "'cwd'"},
    {in_list(R"("command":"x","environment":{"A":"b"})"), "'environment'"},
    {in_list(R"("command":"x","envs":{"A":"b"})"), "'envs'"},
    {in_list(R"("command":"x","env_vars":["A"])"), "'env_vars'"},
    {in_list(R"("cmd":"x","type":"http","url":"https://x.test/")"), "'cmd'"},
    {in_list(R"("executable":"x")"), "'executable'"},
    {in_list(R"("command":null,"executable":"x")"), "'command' is not a string"},
    {in_list(R"("command":"x","args":null)"), "'args' is not a list of strings"},
    {in_list(R"("command":"x","env":{"A":5})"), "'env' is not an object of strings"},
    {in_list(R"("command":"x","type":null)"), "'type' is not a string"},
    {in_list(R"("command":"x","type":"http")"), "the entry has no 'url'"},
    {in_list(R"("command":"x","type":"ws")"), "the type 'ws' is nothing that Claude Code knows"},
    {in_list(R"("command":"x","type":"http","url":"https://x.test/")"),
     "'command' is nothing that Claude Code reads beside 'url'"},
    {in_list(R"("command":"x","url":"https://x.test/")"), "'url' is nothing that Claude Code reads beside 'command'"},
    {R"({"servers":{"a":{"command":"x"}}})", "Claude Code reads what stands in 'mcpServers' alone"},
    {R"({"a":{"command":"x"}})", "Claude Code reads what stands in 'mcpServers' alone"},
    {"// c\n" + in_list(R"("command":"x")"), "Claude Code can not read a file with comments"},
    {R"({"mcpServers":{"a":{"command":"x"},}})", "Claude Code can not read a file with comments"},
  };
  for (auto& c : cases) {
    auto path = project(c.text);
    auto l = load();
    EXPECT_EQ(l.entries.at(0).trust, trust_level::unapproved) << c.text;
    EXPECT_TRUE(l.problems.at(0).starts_with(path + ": line ")) << l.problems[0];
    EXPECT_NE(l.problems[0].find(c.says), std::string::npos) << l.problems[0];
    EXPECT_NE(l.problems[0].find("server 'a' is not approved by its name there"), std::string::npos) << l.problems[0];
  }
}

TEST_F(trust_test, what_is_approved_here_may_have_any_form) {
  project(R"({"servers":{"a":{"command":"approved","cwd":"sub",},}})");
  client_settings(R"({"enabledMcpjsonServers":["a"]})");
  auto l = load();
  EXPECT_EQ(l.entries.at(0).trust, trust_level::approved);
  EXPECT_EQ(l.problems, strings{});
}

TEST_F(trust_test, a_broken_entry_of_another_form_holds_no_name) {
  project(R"({"mcpServers":{"a":{"command":"x","cwd":"sub","includeTools":5}}})");
  client_settings(R"({"enabledMcpjsonServers":["a"]})");
  user(one);
  EXPECT_EQ(level_of("a"), trust_level::user);
}

TEST(client_form, is_known_of_every_client_whose_word_counts) {
  for (auto& list : config::verdict_lists())
    EXPECT_TRUE(!list.approves || config::has_form(list.client)) << list.client;
}

TEST_F(trust_test, the_word_on_claudes_file_is_not_about_the_files_of_others) {
  folder_.write("project/.cursor/mcp.json", one);
  client_settings(R"({"enableAllProjectMcpServers":true})");
  EXPECT_EQ(level_of("a"), trust_level::unapproved);
}

TEST_F(trust_test, a_no_in_the_client_counts_unless_it_is_approved_here) {
  project(R"({"mcpServers":{"a":{"command":"x"},"b":{"command":"approved"}}})");
  client_settings(R"({"enableAllProjectMcpServers":true,"disabledMcpjsonServers":["a","b"]})");
  EXPECT_EQ(level_of("a"), trust_level::rejected);
  EXPECT_EQ(level_of("b"), trust_level::approved);
  client_settings(R"({"enableAllProjectMcpServers":true})");
  folder_.write("project/.claude/settings.local.json", R"({"disabledMcpjsonServers":["a"]})");
  EXPECT_EQ(level_of("a"), trust_level::rejected);
}

TEST_F(trust_test, an_unapproved_entry_hides_nothing) {
  auto u = user(R"({"mcpServers":{"a":{"command":"user"},"b":{"command":"user"}}})");
  auto p = project(R"({"mcpServers":{"a":{"command":"evil"},"b":{"command":"approved"},"c":{"command":"evil"}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 3u);
  EXPECT_EQ(l.entries[0].command, "user");
  EXPECT_EQ(l.entries[0].shadows, strings{p});
  EXPECT_EQ(l.entries[1].command, "approved");
  EXPECT_EQ(l.entries[1].shadows, strings{u});
  EXPECT_EQ(l.entries[2].trust, trust_level::unapproved);
  ASSERT_EQ(l.hidden.size(), 1u);
  EXPECT_EQ(l.hidden[0].command, "evil");
  EXPECT_EQ(l.hidden[0].source, p);
}

TEST_F(trust_test, of_two_of_the_project_the_approved_one_counts) {
  auto first = project(R"({"mcpServers":{"a":{"command":"x"}}})");
  auto second = folder_.write("project/.cursor/mcp.json", R"({"mcpServers":{"a":{"command":"approved"}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 1u);
  EXPECT_EQ(l.entries[0].source, second);
  EXPECT_EQ(l.entries[0].shadows, strings{first});
  approved_command_.clear();
  l = load();
  EXPECT_EQ(l.entries.at(0).source, first);
  EXPECT_EQ(l.entries[0].shadows, strings{second});
}

TEST_F(trust_test, a_project_can_not_use_up_the_room_of_the_user) {
  std::string many;
  for (size_t i = 0; i <= msg::limits::config_servers_max; ++i)
    many += "\"p" + std::to_string(i) + R"(":{"command":"x"},)";
  project(R"({"mcpServers":{)" + many + "}}");
  user(one);
  EXPECT_EQ(level_of("a"), trust_level::user);
}

/// Variables of ours would tell by what is left out what they hold.
TEST_F(trust_test, no_variable_is_looked_at_for_what_nobody_approved) {
  ::setenv("TRUST_TEST_PROGRAM", own_.c_str(), 1);
  project(R"({"mcpServers":{"a":{"command":"${TRUST_TEST_PROGRAM}"},"us":{"command":")" + own_ + R"("}}})");
  auto l = load();
  ASSERT_EQ(l.entries.size(), 1u) << "what is written out is found all the same";
  EXPECT_EQ(l.entries[0].name, "a");
  EXPECT_EQ(l.entries[0].command, "${TRUST_TEST_PROGRAM}");
  approved_command_ = "${TRUST_TEST_PROGRAM}";
  EXPECT_TRUE(load().entries.empty()) << "that it starts us again is seen when it may be looked at";
  ::unsetenv("TRUST_TEST_PROGRAM");
}

TEST_F(trust_test, what_was_written_while_we_run_is_not_approved_by_its_name) {
  project(R"({"mcpServers":{"a":{"command":"approved"}}})");
  client_settings(R"({"enabledMcpjsonServers":["a"]})");
  answer_ = approval::none;
  EXPECT_EQ(level_of("a"), trust_level::approved);
  answer_ = approval::late;
  EXPECT_EQ(level_of("a"), trust_level::changed);
  client_settings("{}");
  EXPECT_EQ(level_of("a"), trust_level::unapproved);
}

TEST_F(trust_test, a_broken_entry_holds_its_name_as_far_as_it_counts) {
  project(R"({"mcpServers":{"a":{"command":"approved","includeTools":5}}})");
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers":{"a":{"command":"other"}}})");
  client_settings(R"({"enableAllProjectMcpServers":true})");
  approved_command_.clear(); // of an entry that can not be read nothing is known
  answer_ = approval::none;
  EXPECT_TRUE(load().entries.empty()) << "what was to be limited is not served without its limits";
  answer_ = approval::late;
  EXPECT_EQ(level_of("a"), trust_level::user);
  client_settings("{}");
  answer_ = approval::none;
  EXPECT_EQ(level_of("a"), trust_level::user);
}

TEST_F(trust_test, a_no_that_can_not_be_read_is_no_yes) {
  project(one);
  client_settings(R"({"enableAllProjectMcpServers":true})");
  EXPECT_EQ(level_of("a"), trust_level::approved);
  auto rejecting = [&](const std::string& list) {
    return R"({"projects":{")" + env_.cwd + R"(":{"disabledMcpjsonServers":)" + list + "}}}";
  };
  user(rejecting(R"(["a"])"));
  EXPECT_EQ(level_of("a"), trust_level::rejected);
  user(rejecting(R"(["a")"));
  EXPECT_EQ(level_of("a"), trust_level::unapproved) << "half written";
  user(rejecting(R"("a")"));
  EXPECT_EQ(level_of("a"), trust_level::unapproved) << "no list";
  EXPECT_NE(load().problems.at(0).find("must be a list of names"), std::string::npos);
  user(rejecting("null"));
  EXPECT_EQ(level_of("a"), trust_level::approved);
}

TEST_F(trust_test, what_is_switched_off_stays_so_when_nobody_can_read_which) {
  auto is_off = [&] { return load().entries.at(0).disabled; };
  auto with = [&](const std::string& list) {
    user(R"({"mcpServers":{"a":{"command":"x"}},"projects":{")" + env_.cwd + R"(":{"disabledMcpServers":)" + list
         + "}}}");
  };
  with("[]");
  EXPECT_FALSE(is_off());
  with(R"(["a"])");
  EXPECT_TRUE(is_off());
  with(R"("a")");
  EXPECT_TRUE(is_off());
  for (auto* wrong : {R"("disabled":"true")", R"("disabled":1)", R"("enabled":0)", R"("enabled":"yes")"}) {
    user(R"({"mcpServers":{"a":{"command":"x",)" + std::string{wrong} + "}}}");
    EXPECT_TRUE(is_off()) << wrong;
    EXPECT_EQ(load().problems.size(), 1u);
  }
}

} // namespace config_trust_test
