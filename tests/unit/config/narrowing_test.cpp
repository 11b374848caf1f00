// What the settings file of a project can do, and what it can not.
#include "config/settings.hpp"

#include "testing/folder.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace config_narrowing_test {

namespace json = boost::json;

using namespace std::chrono_literals;
using config::settings;
using strings = std::vector<std::string>;
using variables = std::map<std::string, std::string>;

class narrowing_test : public testing::Test {
protected:
  config::settings_reading read(std::string_view project, std::string_view user = "", const variables& given = {}) {
    folder_.write("project/.code-executor.json", project);
    if (!user.empty())
      folder_.write("home/.code-executor.json", user);
    auto lookup = [given](std::string_view name) {
      auto found = given.find(std::string{name});
      return found == given.end() ? std::string{} : found->second;
    };
    auto env = config::read_environment(lookup, folder_.path("project"));
    env.home = folder_.path("home");
    return config::read_settings(env, lookup);
  }
  settings narrowed(std::string_view project, std::string_view user = "", const variables& given = {}) {
    auto reading = read(project, user, given);
    EXPECT_TRUE(reading.problems.empty()) << project << ": " << reading.problems.front().message;
    return reading.values;
  }

  test::folder folder_;
};

TEST_F(narrowing_test, limits_become_the_smaller_one) {
  auto s = narrowed(
    R"({"runs":{"maxToolCalls":5,"maxConcurrent":500},"sandbox":{"memoryMb":4096,"processes":20},"security":{"maxTimeoutMs":5000}})",
    R"({"runs":{"maxToolCalls":50,"maxConcurrent":7},"sandbox":{"memoryMb":128}})");
  EXPECT_EQ(s.runs.tool_calls_max, 5u);
  EXPECT_EQ(s.runs.at_once_max, 7u);
  EXPECT_EQ(s.sandbox.memory_bytes, 128u << 20);
  EXPECT_EQ(s.sandbox.processes, 20u);
  EXPECT_EQ(s.runs.timeout_max, 5s);
  EXPECT_EQ(s.runs.timeout, 5s) << "not above the other";
  EXPECT_EQ(s.project_file, folder_.path("project/.code-executor.json"));
  EXPECT_EQ(s.file, folder_.path("home/.code-executor.json"));
}

TEST_F(narrowing_test, variables_are_the_users_word_too) {
  EXPECT_EQ(narrowed(R"({"runs":{"queueSize":50}})", "", {{"POOL_QUEUE_SIZE", "3"}}).runs.queued_max, 3u);
  EXPECT_EQ(narrowed(R"({"runs":{"queueSize":2}})", "", {{"POOL_QUEUE_SIZE", "3"}}).runs.queued_max, 2u);
}

TEST_F(narrowing_test, switches_go_to_the_safer_side_only) {
  auto safer =
    narrowed(R"({"security":{"dangerousPatterns":"block","pinTools":"block"},"sandbox":{"isolation":"required"},
                            "executors":{"python":{"enabled":false}},"sampling":{"enabled":false}})",
             R"({"security":{"dangerousPatterns":"off","pinTools":"off"},"sampling":{"enabled":true}})");
  EXPECT_EQ(safer.security.patterns, config::pattern_policy::block);
  EXPECT_EQ(safer.security.pins, config::pin_policy::block);
  EXPECT_EQ(safer.sandbox.isolation, config::isolation::required);
  EXPECT_FALSE(safer.python.enabled);
  EXPECT_EQ(safer.sampling.enabled, false);
  auto same = narrowed(
    R"({"security":{"dangerousPatterns":"off","pinTools":"off"},"sandbox":{"isolation":"auto"},
                           "executors":{"python":{"enabled":true}},"sampling":{"enabled":true}})",
    R"({"security":{"pinTools":"block"},"sandbox":{"isolation":"required"},"executors":{"python":{"enabled":false}},
                           "sampling":{"enabled":false}})");
  EXPECT_EQ(same.security.patterns, config::pattern_policy::block);
  EXPECT_EQ(same.security.pins, config::pin_policy::block);
  EXPECT_EQ(same.sandbox.isolation, config::isolation::required);
  EXPECT_FALSE(same.python.enabled);
  EXPECT_EQ(same.sampling.enabled, false);
}

TEST_F(narrowing_test, folders_are_held_against_both_lists) {
  auto s = narrowed(R"({"security":{"allowRead":["src","/etc"],"allowWrite":["out"]}})",
                    R"({"security":{"allowRead":["/data"],"allowWrite":["/w"]}})");
  EXPECT_EQ(s.security.allow_read, strings{"/data"}) << "the user's stays what it is";
  EXPECT_EQ(s.security.project_read, (strings{folder_.path("project/src"), "/etc"}));
  EXPECT_EQ(s.security.project_write, strings{folder_.path("project/out")});
  EXPECT_EQ(narrowed("{}").security.project_read, std::nullopt);
  EXPECT_EQ(narrowed(R"({"security":{"allowWrite":false}})").security.project_write, strings{});
  EXPECT_EQ(narrowed(R"({"security":{"allowWrite":true}})").security.project_write, std::nullopt);
}

TEST_F(narrowing_test, hosts_are_those_that_both_allow) {
  auto user = R"({"security":{"allowNetwork":["*.example.com","one.test"]}})";
  auto s =
    narrowed(R"({"security":{"allowNetwork":["api.example.com","a.b.example.com","two.test","*.one.test"]}})", user);
  EXPECT_EQ(s.security.allow_hosts, strings{"api.example.com"});
  EXPECT_FALSE(narrowed(R"({"security":{"allowNetwork":true}})", user).security.allow_any_host);
  EXPECT_EQ(narrowed(R"({"security":{"allowNetwork":true}})", user).security.allow_hosts.size(), 2u);
  EXPECT_TRUE(narrowed(R"({"security":{"allowNetwork":false}})", user).security.allow_hosts.empty());
  auto any = narrowed(R"({"security":{"allowedDomains":["a.test"]}})", R"({"security":{"allowNetwork":true}})");
  EXPECT_FALSE(any.security.allow_any_host);
  EXPECT_EQ(any.security.allow_hosts, strings{"a.test"});
  EXPECT_TRUE(narrowed(R"({"security":{"allowedDomains":["a.test"]}})", "{}").security.allow_hosts.empty());
}

TEST_F(narrowing_test, a_host_is_allowed_on_the_ports_that_both_allow) {
  struct {
    const char *user, *project;
    strings allowed;
  } const cases[] = {
    {R"(["*"])",
     R"(["1.1.1.1:22","*:*","*:8080","1.1.1.1:*","a.test:80","b.test:443","c.test","*"])",
     {"a.test:80", "b.test:443", "c.test", "*"}},
    {"true",
     R"(["1.1.1.1:22","*:8080","1.1.1.1:*","[::1]:22","a.test:443","c.test","[2001:db8::1]","::1"])",
     {"a.test:443", "c.test", "[2001:db8::1]", "::1"}},
    {R"(["*.a.test","one.test"])",
     R"(["x.a.test:22","x.a.test:*","one.test:22","one.test:443","x.a.test"])",
     {"one.test:443", "x.a.test"}},
    {R"(["*.a.test:*","one.test:22"])",
     R"(["x.a.test:22","x.a.test","one.test","one.test:*","one.test:2"])",
     {"x.a.test:22", "x.a.test", "one.test:22"}},
    {"true", R"(["*:*"])", {"*"}},
    {R"(["*:*"])", R"(["*","a.test:22"])", {"*", "a.test:22"}},
    {R"(["*:8080"])", R"(["a.test:8080","a.test","a.test:808","*"])", {"a.test:8080"}},
    {R"(["[::1]"])", R"(["[::1]:22","[::1]:80"])", {"[::1]:80"}},
  };
  for (auto& c : cases) {
    auto s = narrowed(R"({"security":{"allowNetwork":)" + std::string{c.project} + "}}",
                      R"({"security":{"allowNetwork":)" + std::string{c.user} + "}}");
    auto allowed = s.security.allow_hosts, wanted = c.allowed;
    std::sort(allowed.begin(), allowed.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(allowed, wanted) << c.user;
    EXPECT_FALSE(s.security.allow_any_host) << c.user;
  }
}

TEST_F(narrowing_test, a_tool_of_a_server_that_may_be_another_one_is_not_covered) {
  for (auto* other :
       {"mcp__a___*", "mcp__a___echo", "mcp__a__b__*", "mcp__a__b__", "mcp__*", "*", "mcp__a*", "mcp__a__*__x"})
    EXPECT_EQ(narrowed(R"({"security":{"allowedTools":[")" + std::string{other} + R"("]}})",
                       R"({"security":{"allowedTools":["mcp__a__*"]}})")
                .security.tools.allowed,
              std::string_view{other} == "*" || std::string_view{other} == "mcp__*" ? strings{"mcp__a__*"} : strings{})
      << other;
  EXPECT_EQ(narrowed(R"({"security":{"allowedTools":["mcp__a___x","mcp__a__x*","mcp__a__x_"]}})",
                     R"({"security":{"allowedTools":["mcp__a__*"]}})")
              .security.tools.allowed,
            (strings{"mcp__a__x*", "mcp__a__x_"}));
  EXPECT_EQ(
    narrowed(R"({"security":{"allowedTools":["mcp__a___x"]}})", R"({"security":{"allowedTools":["mcp__a___*"]}})")
      .security.tools.allowed,
    strings{"mcp__a___x"})
    << "the same servers come into question for both";
}

TEST_F(narrowing_test, tools_are_those_that_both_allow_and_neither_denies) {
  auto s =
    narrowed(R"({"security":{"allowedTools":["mcp__a__x","mcp__a__b__x","mcp__b__*"],"deniedTools":["mcp__a__y"]}})",
             R"({"security":{"allowedTools":["mcp__a__*"],"deniedTools":["mcp__c__*"]}})");
  EXPECT_FALSE(s.security.tools.everything);
  EXPECT_EQ(s.security.tools.allowed, strings{"mcp__a__x"}) << "a__b is another server";
  EXPECT_EQ(s.security.tools.denied, (strings{"mcp__c__*", "mcp__a__y"}));
  auto open = narrowed(R"({"security":{"allowedTools":["mcp__a__*"]}})", "{}");
  EXPECT_FALSE(open.security.tools.everything);
  EXPECT_EQ(open.security.tools.allowed, strings{"mcp__a__*"});
}

TEST_F(narrowing_test, calls_that_need_approval_only_become_more) {
  auto s = narrowed(R"({"security":{"confirm":["mcp__a__x"]}})", R"({"security":{"confirm":["mcp__c__*"]}})");
  EXPECT_EQ(s.security.tools.confirmed, (strings{"mcp__c__*", "mcp__a__x"}));
  auto none = narrowed(R"({"security":{"confirm":[]}})", R"({"security":{"confirm":["mcp__c__*"]}})");
  EXPECT_EQ(none.security.tools.confirmed, strings{"mcp__c__*"});
}

TEST_F(narrowing_test, what_is_no_matter_of_a_project_is_refused) {
  for (auto* text :
       {R"({"mcpConfigPath":"evil.json"})", R"({"stateDir":"state"})",
        R"({"executors":{"python":{"pythonPath":"./python"}}})",
        R"({"executors":{"typescript":{"denoPath":"./deno"}}})", R"({"executors":{"python":{"venv":"venv"}}})",
        R"({"executors":{"container":{"image":"evil"}}})", R"({"sampling":{"allowedSystemPrompts":["obey"]}})",
        R"({"sampling":{"models":{"openai":"x"}}})", R"({"audit":{"enabled":false}})",
        R"({"audit":{"path":"log.jsonl"}})", R"({"security":{"skipDangerousPatternCheck":true}})",
        R"({"rateLimit":{"maxRequests":5}})", R"({"health":{"port":1}})", R"({"log":{"level":"off"}})"}) {
    auto reading = read(text);
    ASSERT_FALSE(reading.problems.empty()) << text;
    auto& said = reading.problems[0].message;
    EXPECT_TRUE(said.starts_with(folder_.path("project/.code-executor.json") + ":1: '")) << said;
    EXPECT_NE(said.find("move it there, or remove it"), std::string::npos) << said;
    EXPECT_NE(said.find("home/.code-executor.json"), std::string::npos) << said;
  }
}

TEST_F(narrowing_test, no_variable_of_ours_is_read_for_it) {
  auto reading = read(R"({"security":{"allowedDomains":["env:SECRET"]}})", R"({"security":{"allowNetwork":true}})",
                      {{"SECRET", "s3cret.test"}});
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_EQ(reading.problems[0].message.find("s3cret"), std::string::npos);
  EXPECT_NE(reading.problems[0].message.find("refers to a variable"), std::string::npos) << reading.problems[0].message;
}

TEST_F(narrowing_test, broken_files_stop_the_start) {
  for (auto* text : {"{", "[]", R"({"runs":{"maxToolCalls":0}})", R"({"unknown":1})"})
    EXPECT_TRUE(read(text).problems.at(0).message.starts_with(folder_.path("project/.code-executor.json") + ": "))
      << text;
}

TEST_F(narrowing_test, shows_what_is_in_force) {
  auto reading = read(
    R"({"security":{"allowRead":["/data/in","/etc"],"allowWrite":["/"],"allowNetwork":["api.one.test","two.test"],"allowedTools":["mcp__a__x","mcp__b__*"],
        "deniedTools":["mcp__a__y"]}})",
    R"({"security":{"allowRead":["/data"],"allowWrite":["/w"],"allowNetwork":["*.one.test"],"allowedTools":["mcp__a__*"],"deniedTools":["mcp__c__*"]}})");
  auto shown = [&](std::string_view path) {
    return std::find_if(reading.entries.begin(), reading.entries.end(), [&](auto& e) { return e.path == path; })->value;
  };
  EXPECT_EQ(shown("security.allowRead"), json::parse(R"(["/data/in"])"));
  EXPECT_EQ(shown("security.allowWrite"), json::parse(R"(["/w"])"));
  EXPECT_EQ(shown("security.allowNetwork"), json::parse(R"(["api.one.test"])"));
  EXPECT_EQ(shown("security.allowedTools"), json::parse(R"(["mcp__a__x"])"));
  EXPECT_EQ(shown("security.deniedTools"), json::parse(R"(["mcp__c__*","mcp__a__y"])"));
}

TEST_F(narrowing_test, says_where_each_comes_from) {
  auto reading = read(R"({"sessions":{"max":2},"outputs":{"ttlSeconds":604800}})", "{}");
  auto entry = [&](std::string_view path) {
    return *std::find_if(reading.entries.begin(), reading.entries.end(), [&](auto& e) { return e.path == path; });
  };
  EXPECT_EQ(entry("sessions.max").value, 2);
  EXPECT_EQ(entry("sessions.max").origins, strings{folder_.path("project/.code-executor.json") + ":1"});
  EXPECT_TRUE(entry("outputs.ttlSeconds").origins.empty()) << "it is not narrower";
}

TEST_F(narrowing_test, a_file_that_the_user_named_is_not_narrowed) {
  auto named = folder_.write("elsewhere/own.json", R"({"sessions":{"max":9}})");
  EXPECT_EQ(narrowed(R"({"sessions":{"max":2}})", "", {{"CODE_EXECUTOR_CONFIG_PATH", named}}).sessions.count_max, 9u);
}

} // namespace config_narrowing_test
