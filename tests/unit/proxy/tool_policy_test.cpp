#include "proxy/tool_policy.hpp"

#include <gtest/gtest.h>

namespace proxy_tool_policy_test {

using proxy::tool_policy;

msg::server_entry with(std::string name, msg::name_policy tools) {
  msg::server_entry e;
  e.name = std::move(name);
  e.tools = std::move(tools);
  e.source = "/home/u/mcp.json";
  return e;
}

TEST(tool_policy, permits_everything_unless_told_otherwise) {
  tool_policy p;
  EXPECT_TRUE(p.permits("fs", "read"));
  EXPECT_TRUE(p.permits_some("fs"));
}

TEST(tool_policy, what_is_denied_is_denied_whatever_allows_it) {
  tool_policy p{{false, {"mcp__fs__*"}, {"mcp__*__delete*"}}, {}};
  EXPECT_TRUE(p.permits("fs", "read"));
  EXPECT_FALSE(p.permits("fs", "delete_all"));
  EXPECT_FALSE(p.permits("mail", "send"));
  EXPECT_TRUE(p.permits_some("fs"));
  EXPECT_FALSE(p.permits_some("mail"));
  EXPECT_NE(p.refusal("fs", "delete_all").message.find("security.deniedTools"), std::string::npos);
  EXPECT_NE(p.refusal("mail", "send").message.find("security.allowedTools"), std::string::npos);
}

TEST(tool_policy, consent_is_needed_by_whole_names) {
  tool_policy p{{true, {}, {}, {"mcp__git__create*", "mcp__mail__send"}}, {with("git", {}), with("git__hub", {})}};
  EXPECT_TRUE(p.needs_consent("git", "create_issue"));
  EXPECT_FALSE(p.needs_consent("git", "list"));
  EXPECT_FALSE(p.needs_consent("git", "Create_issue"));
  EXPECT_TRUE(p.needs_consent("mail", "send"));
  EXPECT_FALSE(p.needs_consent("mail", "send_all"));
  tool_policy of_two{{true, {}, {}, {"mcp__git__*", "mcp__mail__box__empty"}},
                     {with("git", {}), with("git__hub", {}), with("mail", {}), with("mail__box", {})}};
  EXPECT_TRUE(of_two.needs_consent("git__hub", "x")) << "rather too often than not";
  EXPECT_TRUE(of_two.needs_consent("mail", "box__empty"));
  EXPECT_TRUE(of_two.needs_consent("mail__box", "empty"));
  EXPECT_TRUE((tool_policy{{true, {}, {}, {"*"}}, {}}).needs_consent("any", "thing"));
  EXPECT_FALSE(tool_policy{}.needs_consent("any", "thing"));
}

TEST(tool_policy, an_empty_list_of_allowed_tools_allows_none) {
  tool_policy p{{false, {}, {}}, {}};
  EXPECT_FALSE(p.permits("fs", "read"));
  EXPECT_FALSE(p.permits_some("fs"));
}

TEST(tool_policy, patterns_of_an_entry_are_for_names_of_its_tools) {
  tool_policy p{{},
                {with("fs", {false, {"read*", "list"}, {"read_secret"}}), with("mail", {true, {}, {"send"}}),
                 with("none", {false, {}, {}})}};
  EXPECT_TRUE(p.permits("fs", "read_file"));
  EXPECT_FALSE(p.permits("fs", "read_secret"));
  EXPECT_FALSE(p.permits("fs", "write"));
  EXPECT_FALSE(p.permits("mail", "send"));
  EXPECT_TRUE(p.permits("mail", "list"));
  EXPECT_TRUE(p.permits("other", "send"));
  EXPECT_FALSE(p.permits_some("none"));
  EXPECT_NE(p.refusal("fs", "write").message.find("includeTools of the server's entry in /home/u/mcp.json"),
            std::string::npos);
  EXPECT_NE(p.refusal("mail", "send").message.find("excludeTools"), std::string::npos);
}

TEST(tool_policy, a_pattern_means_the_server_that_it_names) {
  tool_policy allowed{{false, {"mcp__a__*"}, {}}, {with("a", {}), with("a__b", {})}};
  EXPECT_TRUE(allowed.permits("a", "x"));
  EXPECT_FALSE(allowed.permits("a__b", "x"));
  EXPECT_FALSE(allowed.permits_some("a__b"));
  EXPECT_NE(allowed.refusal("a__b", "x").message.find("security.allowedTools"), std::string::npos);
  tool_policy denied{{true, {}, {"mcp__a__b__*"}}, {with("a", {}), with("a__b", {})}};
  EXPECT_FALSE(denied.permits_some("a__b"));
  EXPECT_TRUE(denied.permits("a", "b__x"));
}

TEST(tool_policy, what_a_repository_calls_its_servers_changes_no_pattern) {
  auto of_repository = with("gh__del", {});
  for (auto trust : {msg::trust_level::unapproved, msg::trust_level::changed, msg::trust_level::rejected}) {
    of_repository.trust = trust;
    for (auto* denied : {"mcp__gh__del__*", "mcp__gh__del__repo"}) {
      tool_policy p{{true, {}, {denied}}, {with("gh", {}), of_repository}};
      EXPECT_FALSE(p.permits("gh", "del__repo")) << denied;
    }
  }
  of_repository.trust = msg::trust_level::approved;
  EXPECT_TRUE(
    (tool_policy{{true, {}, {"mcp__gh__del__*"}}, {with("gh", {}), of_repository}}.permits("gh", "del__repo")))
    << "now it means that one";
}

TEST(tool_policy, a_server_of_which_all_is_denied_is_not_started) {
  EXPECT_FALSE((tool_policy{{true, {}, {"mcp__fs__*"}}, {}}.permits_some("fs")));
  EXPECT_FALSE((tool_policy{{true, {}, {"*"}}, {}}.permits_some("fs")));
  EXPECT_FALSE((tool_policy{{}, {with("fs", {true, {}, {"*"}})}}.permits_some("fs")));
  EXPECT_TRUE((tool_policy{{true, {}, {"mcp__fs__a*"}}, {}}.permits_some("fs")));
}

} // namespace proxy_tool_policy_test
