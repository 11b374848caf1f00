// What the reader remembers of the settings: origins, masks, the schema, and that the documentation has all of them.
#include "config/settings.hpp"
#include "config/settings_schema.hpp"

#include "json_schema/schema.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/places.hpp"
#include "text/json_parse.hpp"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <variant>

namespace config_settings_entries_test {

using strings = std::vector<std::string>;

class settings_entries : public testing::Test {
protected:
  config::settings_reading read(std::string_view text, const std::map<std::string, std::string>& given = {}) {
    file = folder_.write("home/.code-executor.json", text);
    auto lookup = [given](std::string_view name) {
      auto found = given.find(std::string{name});
      return found == given.end() ? std::string{} : found->second;
    };
    auto env = config::read_environment(lookup, folder_.path("project"));
    env.home = folder_.path("home");
    return config::read_settings(env, lookup);
  }
  static const config::setting_entry& entry(const config::settings_reading& reading, std::string_view path) {
    auto found = std::find_if(reading.entries.begin(), reading.entries.end(), [&](auto& e) { return e.path == path; });
    EXPECT_NE(found, reading.entries.end()) << path;
    return *found;
  }

  std::string file;
  test::folder folder_;
};

TEST_F(settings_entries, know_where_values_come_from) {
  auto reading =
    read("{\"sessions\": {\n\"max\": 3}, \"security\": {\"allowRead\": [\"/a\"], \"rateLimit\": {\"maxRequests\": 5}}}",
         {{"ALLOWED_PROJECTS", "/b"}, {"POOL_QUEUE_SIZE", "7"}});
  EXPECT_EQ(entry(reading, "sessions.max").origins, strings{file + ":2"});
  EXPECT_EQ(entry(reading, "sessions.max").value, 3);
  EXPECT_EQ(entry(reading, "sessions.max").standard, 16);
  EXPECT_EQ(entry(reading, "runs.queueSize").origins, strings{"POOL_QUEUE_SIZE"});
  EXPECT_EQ(entry(reading, "security.allowRead").origins, (strings{file + ":2", "ALLOWED_PROJECTS"}));
  EXPECT_EQ(entry(reading, "rateLimit.maxRequests").value, 5);
  EXPECT_EQ(entry(reading, "rateLimit.maxRequests").also, "security.rateLimit.maxRequests");
  EXPECT_EQ(entry(reading, "rateLimit.enabled").value, true);
  EXPECT_TRUE(entry(reading, "outputs.maxMb").origins.empty());
}

TEST_F(settings_entries, are_what_is_in_effect) {
  auto reading =
    read(R"({"sandbox":{"pool":{"size":9}},"security":{"maxTimeoutMs":3000,"skipDangerousPatternCheck":true}})",
         {{"ENABLE_HEALTH_CHECK", "true"}, {"CODE_EXECUTOR_RATE_LIMIT_RPM", "4"}});
  EXPECT_EQ(entry(reading, "sandbox.pool.max").value, 9);
  EXPECT_EQ(entry(reading, "security.defaultTimeoutMs").value, 3000);
  EXPECT_EQ(entry(reading, "security.dangerousPatterns").value, "off");
  EXPECT_EQ(entry(reading, "health.port").value, 3000);
  EXPECT_EQ(entry(reading, "health.port").origins, strings{"ENABLE_HEALTH_CHECK"});
  EXPECT_EQ(entry(reading, "rateLimit.maxRequests").origins, strings{"CODE_EXECUTOR_RATE_LIMIT_RPM"});
}

TEST_F(settings_entries, mask_what_came_through_env) {
  auto reading = read(R"({"stateDir":"env:S","sessions":{"max":"env:N"},"security":{"allowRead":["/a","env:S"]}})",
                      {{"S", "/s"}, {"N", "3"}});
  EXPECT_EQ(reading.values.sessions.count_max, 3u);
  EXPECT_EQ(entry(reading, "stateDir").value, "***");
  EXPECT_EQ(entry(reading, "sessions.max").value, "***");
  EXPECT_EQ(entry(reading, "security.allowRead").value, (boost::json::array{"/a", "***"}));
}

TEST_F(settings_entries, all_problems_are_told) {
  auto reading = read(R"({"a":1,"sessions":{"max":0,"b":1},"stateDir":5})");
  EXPECT_EQ(reading.problems.size(), 4u);
  std::string many = "{";
  for (int i = 0; i < 500; ++i)
    many += "\"unknown" + std::to_string(i) + "\":1,";
  EXPECT_EQ(read(many + "}").problems.size(), 50u);
}

TEST_F(settings_entries, a_key_with_a_dot_is_no_path) {
  ASSERT_EQ(read(R"({"security.allowRead":["/"]})").problems.size(), 1u);
  ASSERT_EQ(read(R"({"security":{"rateLimit.enabled":true}})").problems.size(), 1u);
}

TEST(settings_schema, says_what_the_reader_takes) {
  auto made = json_schema::compile(config::settings_schema(config::declared_settings()));
  auto* schema = std::get_if<json_schema::schema>(&made);
  ASSERT_NE(schema, nullptr) << std::get<json_schema::compile_error>(made).message;
  auto accepts = [&](const char* text) {
    boost::json::value value;
    EXPECT_EQ(text::parse_json(text, text::json_dialect::edited, value).what, "") << text;
    return schema->is_valid(value);
  };
  for (
    auto* text :
    {"{}", R"({"$schema":"x","version":1})",
     R"({"security":{"allowRead":["/a","env:X/y"],"allowWrite":true,"allowNetwork":["a.com"]}})",
     R"({"security":{"allowWrite":["/a"],"dangerousPatterns":"warn","rateLimit":{"maxRequests":5},"enableAuditLog":false}})",
     R"({"sessions":{"max":"env:N"},"log":{"level":"env:L"},"servers":{"idleTimeoutMs":0,"breaker":{"failures":3}}})",
     R"({"sampling":{"enabled":true,"provider":"openai","apiKeys":{"openai":"env:K"},"allowedModels":{"openai":["a"]},"contentFilter":{"jwt":"block"}}})",
     R"({"sampling":{"allowedModels":["a"],"allowedSystemPrompts":["","b"],"models":{"grok":"x"}}})",
     R"({"executors":{"container":{"memory":"1g","cpus":0.5,"pids":64}},"rateLimit":{"perTool":{"maxRequests":5}}})"})
    EXPECT_TRUE(accepts(text)) << text;
  for (auto* text : {"[]", R"({"a":1})", R"({"version":2})", R"({"security":{"allowread":[]}})",
                     R"({"security":{"allowRead":"/a"}})", R"({"security":{"allowRead":[5]}})",
                     R"({"security":{"dangerousPatterns":"on"}})", R"({"sessions":{"max":0}})",
                     R"({"sessions":{"max":"many"}})", R"({"servers":{"idleTimeoutMs":5}})", R"({"runs":5})",
                     R"({"sampling":{"x":1}})", R"({"sampling":{"allowedModels":{"openai":"x"}}})",
                     R"({"security":{"rateLimit":{"maxRequest":5}}})", R"({"executors":{"container":{"cpus":"x"}}})"})
    EXPECT_FALSE(accepts(text)) << text;
}

TEST(settings_schema, has_every_key_and_nothing_else) {
  auto schema = config::settings_schema(config::declared_settings());
  std::vector<std::pair<std::string, const boost::json::object*>> open{{"", &schema.at("properties").as_object()}};
  std::vector<std::string> leaves, expected;
  while (!open.empty()) {
    auto [path, properties] = open.back();
    open.pop_back();
    for (auto& [key, value] : *properties) {
      auto inner = (path.empty() ? "" : path + ".") + std::string{key};
      if (auto* deeper = value.as_object().if_contains("properties"))
        open.emplace_back(inner, &deeper->as_object());
      else
        leaves.push_back(inner);
    }
  }
  for (auto& e : config::declared_settings())
    for (auto& name : {e.path, e.also})
      if (!name.empty())
        expected.push_back(name);
  std::sort(leaves.begin(), leaves.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(leaves, expected);
}

TEST(settings_documentation, has_every_key_and_variable) {
  std::ostringstream text;
  text << std::ifstream{test::source("docs/settings.md")}.rdbuf();
  auto told = [&](const std::string& name) {
    return name.empty() || text.str().find("`" + name + "`") != std::string::npos;
  };
  for (auto& e : config::declared_settings()) {
    EXPECT_TRUE(told(e.path)) << e.path;
    EXPECT_TRUE(told(e.variable)) << e.variable;
    EXPECT_TRUE(told(e.also) || told("security.rateLimit")) << e.also;
    EXPECT_FALSE(e.about.empty()) << e.path << e.variable;
  }
}

} // namespace config_settings_entries_test
