#include "audit/line.hpp"

#include "audit/redact.hpp"
#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"
#include "text/digest.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace audit_line_test {

using namespace std::literals;
using audit::redacted;
using msg::audit_kind;
using msg::errc;

boost::json::object parsed(const msg::audit_event& event) {
  return test::object(audit::chained(audit::no_line_before, audit::line_body(event, "cafe")));
}

msg::audit_event run_event() {
  msg::audit_event e;
  e.when = std::chrono::system_clock::time_point{} + 1763764513'042ms;
  e.run = 17;
  e.client = "editor#1";
  e.trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  e.executor = "typescript";
  e.code = "abc";
  e.allowed_tools = {"*"};
  e.tools_called = {"mcp__a__b"};
  e.state = "success";
  e.duration_us = 1'500;
  return e;
}

TEST(audit_line, a_run_has_the_fields_of_the_contract) {
  EXPECT_EQ(parsed(run_event()),
            test::object(R"({"prev":"0000000000000000000000000000000000000000000000000000000000000000",
    "timestamp":"2025-11-21T22:35:13.042Z","event":"run","runId":"cafe-17","clientId":"editor#1","traceId":"4bf92f3577b34da6a3ce929d0e0e4736",
    "executor":"typescript","codeHash":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","codeLength":3,
    "allowedTools":["*"],"toolsCalled":["mcp__a__b"],"state":"success","durationMs":1.5,"success":true})"));
}

TEST(audit_line, what_has_only_begun_has_neither_success_nor_failure) {
  auto begun = run_event();
  begun.kind = audit_kind::run_begun;
  auto line = parsed(begun);
  EXPECT_EQ(line.at("event"), "run_begun");
  EXPECT_TRUE(line.contains("codeHash") && line.contains("allowedTools"));
  begun.kind = audit_kind::call_open;
  EXPECT_EQ(parsed(begun).at("event"), "call_open");
  for (auto* key : {"success", "durationMs", "toolsCalled"})
    EXPECT_FALSE(line.contains(key) || parsed(begun).contains(key)) << key;
}

TEST(audit_line, a_call_has_the_digest_of_its_arguments_and_not_them) {
  msg::audit_event e;
  e.kind = audit_kind::tool_call;
  e.run = 1;
  e.server = "fs";
  e.tool = "read";
  e.arguments = test::doc(R"({"path": "/hidden"})");
  auto line = parsed(e);
  EXPECT_EQ(line.at("argsHash").as_string(), text::sha256_of(R"({"path":"/hidden"})"));
  EXPECT_EQ(audit::line_body(e, "p").find("hidden"), std::string::npos);
  EXPECT_FALSE(line.contains("codeHash"));
  e.arguments_digest = "d";
  EXPECT_EQ(parsed(e).at("argsHash").as_string(), "d");
}

TEST(audit_line, a_run_that_may_use_nothing_says_so) {
  auto e = run_event();
  e.allowed_tools.clear();
  EXPECT_EQ(parsed(e).at("allowedTools"), test::value("[]"));
}

TEST(audit_line, of_a_question_to_a_model_has_digests_only) {
  msg::audit_event e;
  e.kind = msg::audit_kind::sampling_call;
  e.route = "anthropic";
  e.model = "claude-x";
  e.prompt = "hunter2";
  e.answer = "hunter2";
  e.tokens = 15;
  auto line = parsed(e);
  EXPECT_EQ(line.at("route"), "anthropic");
  EXPECT_EQ(line.at("model"), "claude-x");
  EXPECT_EQ(line.at("promptHash"), line.at("answerHash"));
  EXPECT_EQ(line.at("tokens"), 15);
  EXPECT_TRUE(line.contains("durationMs"));
  EXPECT_EQ(boost::json::serialize(line).find("hunter2"), std::string::npos);
}

TEST(audit_line, is_bounded_and_one_line_whatever_comes) {
  auto e = run_event();
  for (auto* text : {&e.client, &e.executor, &e.server, &e.tool, &e.host, &e.state, &e.error})
    *text = std::string(100'000, '\x01') + "\n\xff";
  e.allowed_tools.assign(1'000, std::string(500, '\n'));
  e.tools_called = e.allowed_tools;
  auto line = audit::chained(audit::no_line_before, audit::line_body(e, "p"));
  EXPECT_LE(line.size(), msg::limits::audit_line_bytes_max);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(test::object(line).at("cut").as_bool());
  e.allowed_tools.assign(1'000, "mcp__a__b");
  e.tools_called.clear();
  e.client = e.server = e.tool = e.host = e.state = e.error = "x";
  EXPECT_EQ(parsed(e).at("allowedTools").as_array().size(), msg::limits::audit_names_max);
  EXPECT_EQ(parsed(e).at("allowedToolsMore"), 1'000 - msg::limits::audit_names_max);
}

TEST(audit_line, tells_the_digest_before) {
  auto digest = std::string(64, 'a');
  EXPECT_EQ(audit::digest_before(audit::chained(digest, "}")), digest);
  for (auto broken : {"", "{", "{}", R"({"prev":"short"})", R"(["prev"])"})
    EXPECT_TRUE(audit::digest_before(broken).empty()) << broken;
  EXPECT_TRUE(audit::digest_before(audit::chained(std::string(64, 'X'), "}")).empty());
}

TEST(audit_line, process_ids_differ) {
  EXPECT_NE(audit::new_process_id(), audit::new_process_id());
  EXPECT_EQ(audit::new_process_id().size(), 12u);
}

TEST(audit_line, errors_repeat_no_foreign_text) {
  EXPECT_EQ(audit::error_text(msg::fault{}), "");
  EXPECT_EQ(audit::error_text(msg::fault{errc::tool_failed, "no such file: /home/me/taxes"}), "tool_failed");
  EXPECT_EQ(audit::error_text(msg::fault{errc::invalid_argument, "'x' must be a number, not \"hunter2\""}),
            "invalid_argument");
  EXPECT_EQ(audit::error_text(msg::fault{errc::call_timeout, "it took 5 s"}), "call_timeout: it took 5 s");
  EXPECT_EQ(audit::error_text(msg::fault{errc::limit_exceeded,
                                         "failed 20 times (runs.maxSameFailures); it failed with: hunter2 (a.b)"}),
            "limit_exceeded (runs.maxSameFailures)");
  EXPECT_EQ(audit::error_text(msg::fault{errc::limit_exceeded, "too much (of hunter2.)"}), "limit_exceeded");
  msg::program_error refused;
  refused.code = errc::dangerous_code;
  refused.message = "`eval('hunter2')` runs text";
  refused.line = 2;
  EXPECT_EQ(audit::error_text(refused), "dangerous_code at line 2");
  msg::program_error thrown;
  thrown.name = "TypeError";
  thrown.message = "hunter2 is no function";
  thrown.line = 3;
  EXPECT_EQ(audit::error_text(thrown), "TypeError at line 3");
  thrown.name = "hunter2 is my password";
  EXPECT_EQ(audit::error_text(thrown), "Error at line 3");
  thrown.name = "MCPError";
  thrown.code = errc::not_allowed;
  EXPECT_EQ(audit::error_text(thrown), "MCPError not_allowed at line 3") << "a program can throw these with any text";
}

struct redaction {
  std::string_view text, wanted;
};

TEST(audit_redact, takes_out_what_looks_like_a_secret) {
  const redaction cases[] = {
    {"401 from https://me:pw@host/x", "401 from https://[redacted]@host/x"},
    {"header Authorization: Bearer abc", "header Authorization: Bearer [redacted]"},
    {"Authorization: Basic dXNlcjpwdw==", "Authorization: Basic [redacted]"},
    {"password=hunter2 is wrong", "password=[redacted] is wrong"},
    {R"({"api_key": "k1", "b": 1})", R"({"api_key": "[redacted]", "b": 1})"},
    {"DB_PASSWORD: hunter2", "DB_PASSWORD: [redacted]"},
    {"token ghp_abcdefgh12345678 was refused", "token [redacted] was refused"},
    {"key sk-proj-abc-def12345", "key [redacted]"},
    {"AKIAIOSFODNN7EXAMPLE", "[redacted]"},
    {"id 550e8400-e29b-41d4-a716-446655440000", "id [redacted]"},
  };
  for (auto& c : cases)
    EXPECT_EQ(redacted(c.text, 500), c.wanted);
}

TEST(audit_redact, leaves_what_does_not) {
  for (auto text : {"password authentication failed", "the token is invalid",
                    "server 'chrome-devtools' ended with exit code 1", "mcp__filesystem__read_file is not allowed",
                    "/usr/lib/node_modules/thing/dist/index.js:12", "https://host/path@2", ""})
    EXPECT_EQ(redacted(text, 500), text);
}

TEST(audit_redact, is_cut_and_utf8) {
  EXPECT_EQ(redacted(std::string(1'000, 'a').insert(500, " "), 10), "aaaaaaaaaa");
  EXPECT_TRUE(test::is_valid_utf8(redacted("\xff\xfe b \xe2\x82", 500)));
  EXPECT_LE(redacted(std::string(5'000, 'a') + "=1", 20).size(), 20u);
}

} // namespace audit_line_test
