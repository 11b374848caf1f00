#include "proxy/memory_requests.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace proxy_memory_requests_test {

using msg::memory_operation;
using msg::memory_request;
using test::doc;

std::optional<msg::outcome<memory_request>> parse(std::string_view method, std::string_view params) {
  auto frame = doc(params);
  return proxy::parse_memory_request(method, frame, frame.value().as_object());
}

memory_request accepted(std::string_view method, std::string_view params) {
  auto parsed = parse(method, params);
  EXPECT_TRUE(parsed && parsed->ok()) << method << params << (parsed ? parsed->error.message : "");
  return parsed && parsed->ok() ? parsed->value : memory_request{};
}

TEST(memory_requests, other_methods_are_none) {
  for (auto* method : {"", "call", "memory", "memory_", "memory_saved", "MEMORY_SAVE", "tool", "servers"})
    EXPECT_FALSE(parse(method, "{}")) << method;
}

TEST(memory_requests, each_method_has_its_fields) {
  auto save = accepted("memory_save", R"({"key":"é","value":{"a":[1.5]},"metadata":{"by":"me"},"if_version":3})");
  EXPECT_EQ(save.operation, memory_operation::memory_save);
  EXPECT_EQ(save.key, "é");
  EXPECT_EQ(save.value.text(), R"({"a":[1.5]})");
  EXPECT_TRUE(save.has_metadata);
  EXPECT_EQ(save.metadata.text(), R"({"by":"me"})");
  EXPECT_EQ(save.if_version, 3);
  save = accepted("memory_save", R"({"key":"","value":null,"if_version":null})");
  EXPECT_FALSE(save.has_metadata);
  EXPECT_EQ(save.if_version, memory_request::any_version);
  EXPECT_TRUE(accepted("memory_save", R"({"key":"k","value":1,"metadata":null})").has_metadata) << "null takes it away";
  auto tool = accepted("tool_save", R"({"name":"f","source":"def f(): pass","description":"It."})");
  EXPECT_EQ(tool.operation, memory_operation::tool_save);
  EXPECT_EQ(tool.key + "/" + tool.source + "/" + tool.description, "f/def f(): pass/It.");
  EXPECT_EQ(accepted("tool_save", R"({"name":"f","source":"s","description":null})").description, "");

  struct {
    const char *method, *params;
    memory_operation operation;
  } const cases[] = {
    {"memory_load", R"({"key":"k"})", memory_operation::memory_load},
    {"memory_delete", R"({"key":"k"})", memory_operation::memory_delete},
    {"tool_load", R"({"name":"k"})", memory_operation::tool_load},
    {"tool_delete", R"({"name":"k"})", memory_operation::tool_delete},
    {"memory_list", "{}", memory_operation::memory_list},
    {"tool_list", "{}", memory_operation::tool_list},
  };
  for (auto& c : cases) {
    auto request = accepted(c.method, c.params);
    EXPECT_EQ(request.operation, c.operation) << c.method;
    EXPECT_EQ(request.key, std::string{c.method}.ends_with("_list") ? "" : "k");
  }
}

TEST(memory_requests, what_is_wrong_is_named) {
  struct {
    const char *method, *params, *message;
  } const cases[] = {
    {"memory_save", R"({"value":1})", "memory_save: 'key' must be a string"},
    {"memory_save", R"({"key":null,"value":1})", "memory_save: 'key' must be a string, not null"},
    {"memory_save", R"({"key":5,"value":1})", "memory_save: 'key' must be a string, not 5"},
    {"memory_save", R"({"key":"k"})", "memory_save: 'value' must be given"},
    {"memory_save", R"({"key":"k","value":1,"if_version":-1})",
     "memory_save: 'if_version' must be an integer from 0, not -1"},
    {"memory_save", R"({"key":"k","value":1,"if_version":"1"})",
     "memory_save: 'if_version' must be an integer from 0, not \"1\""},
    {"memory_save", R"({"key":"k","value":1,"if_version":1.5})",
     "memory_save: 'if_version' must be an integer from 0, not 1.5"},
    {"memory_load", "{}", "memory_load: 'key' must be a string"},
    {"memory_delete", R"({"name":"k"})", "memory_delete: 'key' must be a string"},
    {"tool_save", R"({"name":"f"})", "tool_save: 'source' must be a string"},
    {"tool_save", R"({"name":"f","source":"s","description":5})", "tool_save: 'description' must be a string, not 5"},
    {"tool_load", R"({"name":["f"]})", "tool_load: 'name' must be a string, not [\"f\"]"},
  };
  for (auto& c : cases) {
    auto parsed = parse(c.method, c.params);
    ASSERT_TRUE(parsed) << c.method;
    EXPECT_EQ(parsed->error.code, msg::errc::invalid_argument) << c.params;
    EXPECT_EQ(parsed->error.message, c.message);
  }
}

TEST(memory_requests, a_huge_frame_is_refused_before_anybody_holds_it) {
  auto frame = doc(R"({"key":"k","value":")" + std::string(msg::limits::memory_frame_bytes_max, 'x') + "\"}");
  auto parsed = proxy::parse_memory_request("memory_save", frame, frame.value().as_object());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->error.code, msg::errc::limit_exceeded);
  EXPECT_NE(parsed->error.message.find("1024 KiB"), std::string::npos) << parsed->error.message;
}

TEST(memory_requests, names_are_saved_without_control_characters) {
  for (auto* key : {R"("a\u0000z")", R"("\u001b[31m")", R"("a\nb")"}) {
    auto save = parse("memory_save", std::string{R"({"value":1,"key":)"} + key + "}");
    EXPECT_EQ(save->error.code, msg::errc::invalid_argument) << key;
    EXPECT_TRUE(save->error.message.starts_with("memory_save: 'key' must be a text without control characters"))
      << save->error.message;
    EXPECT_FALSE(parse("tool_save", std::string{R"({"source":"s","name":)"} + key + "}")->ok()) << key;
    accepted("memory_delete", std::string{R"({"key":)"} + key + "}"); // one that is there from before
  }
}

} // namespace proxy_memory_requests_test
