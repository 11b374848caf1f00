#include "config/entry_policy.hpp"

#include "config/server_list.hpp"
#include "messages/limits.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

namespace config_entry_policy_test {

using strings = std::vector<std::string>;

class entry_policy_test : public testing::Test {
protected:
  entry_policy_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
  }
  /// An entry with these fields besides its command.
  msg::server_entry read(const std::string& fields) {
    folder_.write("project/.mcp.json", R"({"mcpServers":{"s":{"command":"x",)" + fields + "}}}");
    list_ = config::load_servers(env_, "/nowhere/code-executor");
    for (auto& p : list_.problems)
      ADD_FAILURE() << p;
    return list_.entries.empty() ? msg::server_entry{} : list_.entries[0];
  }
  test::folder folder_;
  config::environment env_;
  config::server_list list_;
};

TEST_F(entry_policy_test, nothing_given_means_as_the_settings_say) {
  auto e = read(R"("description":"x")");
  EXPECT_TRUE(e.tools.everything && e.tools.allowed.empty() && e.tools.denied.empty());
  EXPECT_EQ(e.rate.requests, 0u);
  EXPECT_EQ(e.call_timeout_ms, 0u);
  EXPECT_EQ(e.calls_max, 0u);
  EXPECT_EQ(e.idle_ms, 0u);
  EXPECT_FALSE(e.eager);
}

TEST_F(entry_policy_test, keys_of_ours_are_read) {
  auto e = read(
    R"("includeTools":["read_*","list"],"excludeTools":["read_secret"],"rateLimit":{"maxRequests":5,"windowMs":10000},"timeoutMs":1500,
    "maxConcurrent":4,"idleTimeout":"10m","eager":true)");
  EXPECT_FALSE(e.tools.everything);
  EXPECT_EQ(e.tools.allowed, (strings{"read_*", "list"}));
  EXPECT_EQ(e.tools.denied, strings{"read_secret"});
  EXPECT_EQ(e.rate.requests, 5u);
  EXPECT_EQ(e.rate.window_ms, 10'000u);
  EXPECT_EQ(e.call_timeout_ms, 1'500u);
  EXPECT_EQ(e.calls_max, 4u);
  EXPECT_EQ(e.idle_ms, 600'000u);
  EXPECT_TRUE(e.eager);
}

TEST_F(entry_policy_test, an_empty_list_allows_nothing) {
  auto e = read(R"("includeTools":[])");
  EXPECT_FALSE(e.tools.everything);
  EXPECT_TRUE(e.tools.allowed.empty());
}

TEST_F(entry_policy_test, a_rate_may_be_a_number_for_one_minute) {
  auto e = read(R"("rateLimit":30)");
  EXPECT_EQ(e.rate.requests, 30u);
  EXPECT_EQ(e.rate.window_ms, 60'000u);
  EXPECT_EQ(read(R"("rateLimit":{"maxRequests":7})").rate.window_ms, 60'000u);
}

TEST_F(entry_policy_test, times_may_be_written_in_units) {
  EXPECT_EQ(read(R"("idleTimeout":90)").idle_ms, 90'000u);
  EXPECT_EQ(read(R"("idleTimeout":"90")").idle_ms, 90'000u);
  EXPECT_EQ(read(R"("idleTimeout":"2500ms")").idle_ms, 2'500u);
  EXPECT_EQ(read(R"("idleTimeout":"168h")").idle_ms, 604'800'000u);
}

TEST_F(entry_policy_test, ours_counts_before_the_clients) {
  EXPECT_EQ(read(R"("tool_timeout_sec":10)").call_timeout_ms, 10'000u);
  EXPECT_EQ(read(R"("tool_timeout_sec":10,"timeoutMs":1)").call_timeout_ms, 1u);
  EXPECT_EQ(read(R"("timeout":10)").call_timeout_ms, 0u) << "nobody says what it means there";
  EXPECT_EQ(read(R"("tool_timeout_sec":"ten")").call_timeout_ms, 0u);
  EXPECT_EQ(read(R"("tool_timeout_sec":1e300)").call_timeout_ms, 0u);
}

TEST_F(entry_policy_test, all_lists_of_what_is_left_out_count) {
  EXPECT_EQ(read(R"("excludeTools":["a"],"disabledTools":["b"],"disabled_tools":["c"])").tools.denied,
            (strings{"a", "c", "b"}));
}

TEST_F(entry_policy_test, a_list_of_tools_elsewhere_is_none_of_ours) {
  EXPECT_TRUE(read(R"("tools":{"read":{"approval_mode":"auto"}})").tools.everything);
}

TEST_F(entry_policy_test, the_same_name_elsewhere_does_not_take_the_place_of_a_broken_policy) {
  folder_.write("home/.claude.json", R"({"mcpServers":{"s":{"command":"without any limit"},"t":{"command":"x"}}})");
  folder_.write("project/.mcp.json", R"({"mcpServers":{"s":{"command":"x","excludeTools":"drop"},"t":{"command":5}}})");
  auto unapproved = config::load_servers(env_, "/nowhere/code-executor");
  ASSERT_EQ(unapproved.entries.size(), 2u) << "a project takes no name away from the user";
  folder_.write("home/.claude/settings.json", R"({"enabledMcpjsonServers":["s"]})");
  auto l = config::load_servers(env_, "/nowhere/code-executor");
  ASSERT_EQ(l.entries.size(), 1u);
  EXPECT_EQ(l.entries[0].name, "t") << "what is broken otherwise is as if it were not there";
  EXPECT_EQ(l.problems.size(), 2u);
}

TEST_F(entry_policy_test, lists_are_bounded) {
  std::string many;
  for (size_t i = 0; i <= msg::limits::allowed_tools_max; ++i)
    many += R"("x",)";
  folder_.write("project/.mcp.json", R"({"mcpServers":{"s":{"command":"x","includeTools":[)" + many
                                       + R"(]},"t":{"command":"x","excludeTools":[")"
                                       + std::string(msg::limits::pattern_bytes_max + 1, 'x') + R"("]}}})");
  auto l = config::load_servers(env_, "/nowhere/code-executor");
  EXPECT_TRUE(l.entries.empty());
  ASSERT_EQ(l.problems.size(), 2u);
  EXPECT_NE(l.problems[0].find("at most 1000"), std::string::npos) << l.problems[0];
  EXPECT_LT(l.problems[1].size(), 400u) << l.problems[1];
}

} // namespace config_entry_policy_test
