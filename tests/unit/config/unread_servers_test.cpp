// Servers whose file can not be read at another look: they stay as they were, and are trusted as they would be now.
#include "config/server_list.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace config_unread_servers_test {

using config::approval;
using msg::trust_level;

class unread_servers_test : public testing::Test {
protected:
  unread_servers_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    std::filesystem::create_directories(env_.home);
    std::filesystem::create_directories(env_.cwd);
  }
  void project(std::string_view text) { folder_.write("project/.mcp.json", text); }
  void user(std::string_view text) { folder_.write("home/.cursor/mcp.json", text); }
  void client_settings(std::string_view text) { folder_.write("home/.claude/settings.json", text); }
  void look() {
    now_ = config::load_servers(
      env_, "/nowhere/code-executor", [this](auto& e) { return answers_(e); }, now_);
  }
  /// `name:command` and what is not usual about it.
  std::string seen() const {
    std::string out;
    for (auto& e : now_.entries)
      out += e.name + ":" + e.command + (msg::is_trusted(e) ? "" : "?") + (e.disabled ? "-" : "") + " ";
    return out;
  }

  test::folder folder_;
  config::environment env_;
  config::server_list now_;
  std::function<approval(const msg::server_entry&)> answers_ = config::approves_nothing;
};

constexpr auto two = R"({"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}})";
constexpr auto of_both = R"({"enabledMcpjsonServers":["a","b"]})";

TEST_F(unread_servers_test, stay_as_they_were_if_their_file_is_broken) {
  for (auto broken : {"{broken", "[1]", R"({"mcpServers":7})", "\xff"}) {
    user(two);
    now_ = {};
    look();
    user(broken);
    look();
    EXPECT_EQ(seen(), "a:x b:y ") << broken;
    look();
    EXPECT_EQ(seen(), "a:x b:y ") << "and again";
  }
  std::filesystem::remove(folder_.path("home/.cursor/mcp.json"));
  look();
  EXPECT_EQ(seen(), "");
}

TEST_F(unread_servers_test, of_a_broken_entry_only_that_one_stays) {
  user(two);
  look();
  user(R"({"mcpServers":{"a":{"command":"x","args":7},"c":{"command":"z"}}})");
  look();
  EXPECT_EQ(seen(), "a:x c:z ");
}

TEST_F(unread_servers_test, what_is_gone_is_gone_whatever_else_is_wrong_with_the_file) {
  for (auto other : {R"({"mcpServers":{"x":{"command":"z"},"x":{"command":"z"}}})",
                     R"({"mcpServers":{"x":{"command":"z","args":7}}})", R"({"mcpServers":{"":{"command":"z"}}})"}) {
    user(two);
    now_ = {};
    look();
    user(other);
    look();
    EXPECT_EQ(seen().find("a:x"), std::string::npos) << other << " " << seen();
    EXPECT_FALSE(now_.problems.empty()) << other;
  }
}

TEST_F(unread_servers_test, that_have_been_rejected_since_do_not_start) {
  project(two);
  client_settings(of_both);
  look();
  ASSERT_EQ(seen(), "a:x b:y ");
  project("{broken");
  client_settings(R"({"enabledMcpjsonServers":["b"],"disabledMcpjsonServers":["a"]})");
  look();
  EXPECT_EQ(seen(), "a:x?- b:y ");
  EXPECT_EQ(now_.entries.at(0).trust, trust_level::rejected);
  client_settings("{}");
  look();
  EXPECT_EQ(seen(), "a:x?- b:y? ") << "what the client does not approve any more";
}

TEST_F(unread_servers_test, lose_our_approval_with_its_withdrawal) {
  project(two);
  answers_ = [](auto&) { return approval::given; };
  look();
  project("{broken");
  look();
  ASSERT_EQ(seen(), "a:x b:y ");
  answers_ = config::approves_nothing;
  look();
  EXPECT_EQ(seen(), "a:x? b:y? ");
}

TEST_F(unread_servers_test, gain_nothing_by_the_client_s_word_on_their_name) {
  project(R"({"mcpServers":{"a":{"command":"x"}}})");
  look();
  ASSERT_EQ(seen(), "a:x? ");
  project("{broken");
  client_settings(R"({"enabledMcpjsonServers":["a"]})");
  look();
  EXPECT_EQ(seen(), "a:x? ") << "what it would start there is not known";
}

TEST_F(unread_servers_test, are_switched_off_as_their_client_says_now) {
  folder_.write("home/.claude.json", two);
  look();
  ASSERT_EQ(seen(), "a:x b:y ");
  folder_.write("home/.claude.json",
                R"({"mcpServers":7,"projects":{")" + env_.cwd + R"(":{"disabledMcpServers":["a"]}}})");
  look();
  EXPECT_EQ(seen(), "a:x- b:y ");
}

TEST_F(unread_servers_test, take_no_name_from_what_counts_more) {
  user(two);
  look();
  folder_.write("home/.claude.json", R"({"mcpServers":{"b":{"command":"other"}}})");
  user("{broken");
  look();
  EXPECT_EQ(seen(), "a:x b:other ") << "it is read before";
  user(two);
  folder_.write("home/.claude.json", "{}");
  look();
  ASSERT_EQ(seen(), "a:x b:y ");
  folder_.write("home/.code-executor/servers.json", R"({"mcpServers":{"a":{"command":"less"}}})");
  user("{broken");
  look();
  EXPECT_EQ(seen(), "a:x b:y ");
}

TEST_F(unread_servers_test, of_the_project_that_nobody_approved_take_no_name_from_the_user) {
  project(two);
  look();
  user(R"({"mcpServers":{"a":{"command":"mine"}}})");
  project("{broken");
  look();
  EXPECT_EQ(seen(), "a:mine b:y? ");
}

} // namespace config_unread_servers_test
