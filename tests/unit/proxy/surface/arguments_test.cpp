#include "proxy/surface/arguments.hpp"

#include "messages/limits.hpp"
#include "proxy/allowlist.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace tools_arguments_test {

namespace limits = msg::limits;
using msg::errc;
using strings = std::vector<std::string>;
using test::object;

auto run(const char* tool, const boost::json::object& arguments, surface::run_times bridge = {}) {
  surface::run_limits given;
  given.bridge = bridge;
  return surface::parse_run(*surface::find_tool(tool), arguments, given);
}
auto run(const char* tool, const char* arguments) { return run(tool, object(arguments)); }

TEST(run_arguments, have_defaults) {
  for (auto* tool :
       {"run-typescript-code", "executeTypescript", "run-python-code", "executePython", "execute_code", "run_python"}) {
    auto got = run(tool, R"({"code":"x"})");
    ASSERT_TRUE(got.ok()) << got.error.message;
    EXPECT_EQ(got.value.request.code, "x");
    EXPECT_EQ(got.value.request.timeout_ms, limits::run_timeout_default.count());
    EXPECT_TRUE(got.value.request.allowed.everything);
    EXPECT_EQ(got.value.request.lang, surface::find_tool(tool)->language);
    EXPECT_TRUE(got.value.servers.empty());
  }
}

TEST(run_arguments, run_python_has_times_of_its_own) {
  surface::run_times bridge{std::chrono::seconds{7}, std::chrono::seconds{9}};
  auto with = [&](const char* tool, const char* arguments) {
    return run(tool, boost::json::parse(arguments).as_object(), bridge);
  };
  EXPECT_EQ(with("run_python", R"({"code":"x"})").value.request.timeout_ms, 7'000u);
  EXPECT_EQ(with("run_python", R"({"code":"x","timeout":9})").value.request.timeout_ms, 9'000u);
  auto refused = with("run_python", R"({"code":"x","timeout":10})");
  EXPECT_NE(refused.error.message.find("from 1 to 9"), std::string::npos) << refused.error.message;
  EXPECT_EQ(with("executePython", R"({"code":"x","timeout":10})").value.request.timeout_ms, 10'000u);
}

TEST(run_arguments, timeouts_may_be_spelled_in_three_ways) {
  struct {
    const char* field;
    uint32_t ms;
  } const cases[] = {{R"("timeoutMs":5000)", 5'000},     {R"("timeout_ms":6000)", 6'000},
                     {R"("timeout":7)", 7'000},          {R"("timeoutMs":1000)", 1'000},
                     {R"("timeoutMs":300000)", 300'000}, {R"("timeout":1)", 1'000},
                     {R"("timeout":300)", 300'000},      {R"("timeoutMs":5000.0)", 5'000},
                     {R"("timeoutMs":null)", 30'000},    {R"("timeoutMs":null,"timeout":2)", 2'000}};
  for (auto& c : cases)
    for (auto* tool : {"run-typescript-code", "execute_code", "run_python"}) {
      auto got = run(tool, (std::string{R"({"code":"x",)"} + c.field + "}").c_str());
      ASSERT_TRUE(got.ok()) << c.field << ": " << got.error.message;
      EXPECT_EQ(got.value.request.timeout_ms, c.ms) << c.field;
    }
}

TEST(run_arguments, types_are_checked_in_typescript_without_a_session) {
  EXPECT_FALSE(run("run-typescript-code", R"({"code":"x"})").value.request.type_check);
  for (auto* tool : {"run-typescript-code", "executeTypescript", "execute_code"})
    EXPECT_TRUE(run(tool, R"({"code":"x","typeCheck":true})").value.request.type_check);
  EXPECT_TRUE(run("run-python-code", R"({"code":"x","typeCheck":false})").ok());
  EXPECT_NE(run("run-python-code", R"({"code":"x","typeCheck":true})").error.message.find("only TypeScript"),
            std::string::npos);
  EXPECT_NE(run("execute_code", R"({"code":"x","typeCheck":true,"session":"s"})").error.message.find("'session'"),
            std::string::npos);
  EXPECT_FALSE(run("execute_code", R"({"code":"x","typeCheck":"yes"})").ok());
}

TEST(run_arguments, are_taken_as_text_too) { // some clients write all of them so
  auto got = surface::parse_run(*surface::find_tool("run-typescript-code"),
                                test::object(R"({"code":"x","timeoutMs":"5000","typeCheck":"true"})"));
  ASSERT_TRUE(got.ok()) << got.error.message;
  EXPECT_EQ(got.value.request.timeout_ms, 5'000u);
  EXPECT_TRUE(got.value.request.type_check);
  EXPECT_FALSE(
    surface::parse_run(*surface::find_tool("run-typescript-code"), test::object(R"({"code":"x","typeCheck":"false"})"))
      .value.request.type_check);
}

TEST(run_arguments, mistakes_name_field_expectation_and_value) {
  struct {
    const char *arguments, *says;
  } const cases[] = {
    {"{}", "'code' is missing: expected a non-empty string"},
    {R"({"code":null})", "'code' must be a non-empty string, not null"},
    {R"({"code":""})", "'code' must be a non-empty string, not \"\""},
    {R"({"code":" \n\t"})", "'code' must be a non-empty string"},
    {R"({"code":5})", "'code' must be a string, not 5"},
    {R"({"code":["x"]})", "'code' must be a string, not [\"x\"]"},
    {R"({"code":"x","timeoutMs":999})",
     "'timeoutMs' must be an integer from 1000 to 300000 (security.maxTimeoutMs), not 999"},
    {R"({"code":"x","timeoutMs":300001})", "not 300001"},
    {R"({"code":"x","timeoutMs":0})", "not 0"},
    {R"({"code":"x","timeoutMs":-1})", "not -1"},
    {R"({"code":"x","timeoutMs":"5e3"})", "not \"5e3\""},
    {R"({"code":"x","timeoutMs":"5"})", "not \"5\""},
    {R"({"code":"x","timeoutMs":""})", "not \"\""},
    {R"({"code":"x","enableSampling":"yes"})", "true or false, not \"yes\""},
    {R"({"code":"x","timeoutMs":1000.5})", "not 1000.5"},
    {R"({"code":"x","timeoutMs":1e300})", "'timeoutMs'"},
    {R"({"code":"x","timeoutMs":-1e300})", "'timeoutMs'"},
    {R"({"code":"x","timeoutMs":18446744073709551615})", "'timeoutMs'"},
    {R"({"code":"x","timeoutMs":true})", "not true"},
    {R"({"code":"x","timeoutMs":[]})", "not []"},
    {R"({"code":"x","timeout_ms":5})",
     "'timeout_ms' must be an integer from 1000 to 300000 (security.maxTimeoutMs), not 5"},
    {R"({"code":"x","timeout":0})", "'timeout' must be an integer from 1 to 300 (security.maxTimeoutMs), not 0"},
    {R"({"code":"x","timeout":301})", "not 301"},
    {R"({"code":"x","allowedTools":"*"})", "'allowedTools' must be a list of strings, not \"*\""},
    {R"({"code":"x","allowedTools":{}})", "a list of strings, not {}"},
    {R"({"code":"x","allowedTools":[1]})", "not 1"},
    {R"({"code":"x","allowedTools":["a",""]})", "non-empty strings"},
    {R"({"code":"x","allowedTools":["a",null]})", "not null"},
  };
  for (auto& c : cases) {
    auto got = run("run-typescript-code", c.arguments);
    EXPECT_EQ(got.error.code, errc::invalid_argument) << c.arguments;
    EXPECT_NE(got.error.message.find(c.says), std::string::npos) << c.arguments << ": " << got.error.message;
  }
}

TEST(run_arguments, unknown_ones_are_named_with_the_nearest_known) {
  struct {
    const char *field, *nearest;
  } const cases[] = {{"cod", "code"},
                     {"timeoutms", "timeoutMs"},
                     {"time_out", "timeout"},
                     {"allowed_tools", "allowedTools"},
                     {"alowedTools", "allowedTools"}};
  for (auto& c : cases) {
    auto got = run("run-typescript-code", (std::string{R"({"code":"x",")"} + c.field + "\":1}").c_str());
    EXPECT_EQ(got.error.code, errc::invalid_argument) << c.field;
    EXPECT_NE(got.error.message.find(std::string{"'"} + c.field + "'"), std::string::npos) << got.error.message;
    EXPECT_NE(got.error.message.find(std::string{"did you mean '"} + c.nearest + "'"), std::string::npos)
      << got.error.message;
  }
  EXPECT_NE(run("run-typescript-code", R"({"code":"x","zzzzzzzzz":1})").error.message.find("Known: code"),
            std::string::npos);
  EXPECT_FALSE(run("run-typescript-code", R"({"code":"x","servers":["a"]})").ok()) << "a parameter of run_python";
}

TEST(run_arguments, allowed_tools_are_taken_as_they_are) {
  auto none = run("execute_code", R"({"code":"x","allowedTools":[]})");
  EXPECT_FALSE(none.value.request.allowed.everything) << "given and empty: nothing";
  EXPECT_TRUE(none.value.request.allowed.patterns.empty());
  auto some = run("run_python", R"({"code":"x","allowedTools":["mcp__fs__*","*"]})");
  EXPECT_EQ(some.value.request.allowed.patterns, (strings{"mcp__fs__*", "*"}));
  EXPECT_TRUE(run("execute_code", R"({"code":"x","allowedTools":null})").value.request.allowed.everything);
}

TEST(run_arguments, a_number_beyond_every_integer_is_refused) {
  for (auto* timeout : {"1e300", "-1e300", "1e19"})
    EXPECT_EQ(
      run("execute_code", boost::json::parse(std::string{R"({"code":"x","timeoutMs":)"} + timeout + "}").as_object())
        .error.code,
      msg::errc::invalid_argument)
      << timeout;
}

TEST(run_arguments, servers_allow_their_tools_only) {
  auto got = run("run_python", R"({"code":"x","servers":["fs","git hub"]})");
  ASSERT_TRUE(got.ok()) << got.error.message;
  EXPECT_EQ(got.value.servers, (strings{"fs", "git hub"}));
  auto& allowed = got.value.request.allowed;
  EXPECT_TRUE(proxy::allows(allowed, "fs", "read", {}));
  EXPECT_TRUE(proxy::allows(allowed, "git hub", "x", {}));
  EXPECT_FALSE(proxy::allows(allowed, "other", "read", {}));
  EXPECT_FALSE(run("run_python", R"({"code":"x","servers":[]})").value.request.allowed.everything)
    << "given and empty: none";
  EXPECT_NE(
    run("run_python", R"({"code":"x","servers":"fs"})").error.message.find("'servers' must be a list of strings"),
    std::string::npos);
}

TEST(run_arguments, servers_and_allowed_tools_both_count) {
  auto got = run("run_python", R"({"code":"x","servers":["fs"],"allowedTools":["*"]})");
  ASSERT_TRUE(got.ok()) << got.error.message;
  EXPECT_FALSE(proxy::allows(got.value.request.allowed, "other", "read", {}))
    << "the run may use the tools of `servers` only";
}

TEST(run_arguments, are_bounded) {
  boost::json::object arguments{{"code", std::string(limits::code_bytes_max, 'x')}};
  EXPECT_TRUE(run("execute_code", arguments).ok());
  arguments["code"] = std::string(limits::code_bytes_max + 1, 'x');
  auto got = run("execute_code", arguments);
  EXPECT_NE(got.error.message.find(std::to_string(limits::code_bytes_max)), std::string::npos) << got.error.message;
  EXPECT_LT(got.error.message.size(), 300u);
  arguments["code"] = "x";
  boost::json::array many(limits::allowed_tools_max + 1, boost::json::value("*"));
  arguments["allowedTools"] = many;
  EXPECT_NE(run("execute_code", arguments).error.message.find("at most 1000 entries"), std::string::npos);
  many.resize(limits::allowed_tools_max);
  arguments["allowedTools"] = many;
  EXPECT_TRUE(run("execute_code", arguments).ok());
  arguments["allowedTools"] = boost::json::array{std::string(limits::pattern_bytes_max + 1, 'x')};
  EXPECT_NE(run("execute_code", arguments).error.message.find("512"), std::string::npos);
  many = boost::json::array(33, boost::json::value(std::string(limits::pattern_bytes_max, 'x')));
  arguments["allowedTools"] = many;
  EXPECT_TRUE(run("execute_code", arguments).ok()) << "names cost nothing";
  many = boost::json::array(33, boost::json::value(std::string(limits::pattern_bytes_max - 1, 'x') + "*"));
  arguments["allowedTools"] = many;
  EXPECT_EQ(run("execute_code", arguments).error.message,
            "'allowedTools' must be at most 16384 bytes in all patterns with a star, not 16896");
  many.resize(32);
  arguments["allowedTools"] = many;
  EXPECT_TRUE(run("execute_code", arguments).ok());
  arguments["allowedTools"] = std::string(100'000, 'x');
  EXPECT_LT(run("execute_code", arguments).error.message.size(), 300u);
}

TEST(run_arguments, what_is_over_a_limit_is_told_with_the_limits_key) { // contract, section 6
  boost::json::object arguments{{"code", std::string(limits::code_bytes_max + 1, 'x')}};
  auto message = run("execute_code", arguments).error.message;
  EXPECT_NE(message.find("code"), std::string::npos);
  EXPECT_NE(message.find(std::to_string(limits::code_bytes_max)), std::string::npos);
}

TEST(run_arguments, an_unknown_name_is_quoted_within_bounds) {
  boost::json::object arguments{{"code", "x"}, {std::string(1'000'000, 'k'), 1}};
  EXPECT_LT(run("execute_code", arguments).error.message.size(), 2'000u);
}

TEST(search_arguments, are_checked) {
  auto got = surface::parse_search(object(R"({"query":"read","server":"fs","limit":5,"detail":"full"})"));
  ASSERT_TRUE(got.ok()) << got.error.message;
  EXPECT_EQ(got.value.query.text, "read");
  EXPECT_EQ(got.value.query.server, "fs");
  EXPECT_EQ(got.value.query.limit, 5u);
  EXPECT_EQ(got.value.detail, msg::tool_detail::full);
  EXPECT_TRUE(got.value.query.allowed.everything);
  got = surface::parse_search(object(R"({"query":"read"})"));
  EXPECT_EQ(got.value.query.limit, limits::search_results_default);
  EXPECT_EQ(got.value.detail, msg::tool_detail::standard);
  EXPECT_EQ(surface::parse_search(object(R"({"query":"x","detail":"minimal"})")).value.detail,
            msg::tool_detail::minimal);
  struct {
    const char *arguments, *says;
  } const cases[] = {
    {"{}", "'query' is missing"},
    {R"({"query":""})", "'query'"},
    {R"({"query":5})", "'query' must be a string, not 5"},
    {R"({"query":"x","limit":0})", "'limit'"},
    {R"({"query":"x","limit":-1})", "from 1 to 100, not -1"},
    {R"({"query":"x","limit":"five"})", "'limit'"},
    {R"({"query":"x","detail":"all"})", "'detail' must be minimal, standard or full, not \"all\""},
    {R"({"query":"x","detail":5})", "'detail' must be a string"},
    {R"({"query":"x","server":5})", "'server' must be a string"},
    {R"({"query":"x","sever":"a"})", "did you mean 'server'"},
  };
  for (auto& c : cases) {
    auto bad = surface::parse_search(object(c.arguments));
    EXPECT_EQ(bad.error.code, errc::invalid_argument) << c.arguments;
    EXPECT_NE(bad.error.message.find(c.says), std::string::npos) << c.arguments << ": " << bad.error.message;
  }
}

TEST(search_arguments, more_than_there_may_be_is_as_many_as_there_may_be) {
  for (auto* limit : {"100", "101", "9223372036854775807", "18446744073709551615", "1e300", "100.0", "\"5000\""}) {
    auto got = surface::parse_search(object(R"({"query":"x","limit":)" + std::string{limit} + "}"));
    ASSERT_TRUE(got.ok()) << limit << ": " << got.error.message;
    EXPECT_EQ(got.value.query.limit, limits::search_results_max) << limit;
  }
}

TEST(signature_arguments, need_server_and_tool) {
  auto got = surface::parse_signature(object(R"({"server":"fs","tool":"read"})"));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value.server + "/" + got.value.tool + "/" + got.value.full_name, "fs/read/");
  for (auto* arguments : {"{}", R"({"server":"fs"})", R"({"tool":"read"})", R"({"server":"","tool":"read"})",
                          R"({"server":"fs","tool":5})", R"({"server":"fs","tool":"read","x":1})"})
    EXPECT_EQ(surface::parse_signature(object(arguments)).error.code, errc::invalid_argument) << arguments;
}

TEST(no_arguments, means_none) {
  EXPECT_TRUE(surface::parse_nothing({}).ok());
  auto bad = surface::parse_nothing(object(R"({"x":1})"));
  EXPECT_NE(bad.error.message.find("unknown parameter 'x'"), std::string::npos) << bad.error.message;
}

TEST(parse_run, takes_a_format_on_every_run_tool) {
  using surface::output_format;
  for (auto* name : {"run-typescript-code", "executePython", "execute_code", "run_python"}) {
    auto parse = [&](const char* text) { return surface::parse_run(*surface::find_tool(name), test::object(text)); };
    EXPECT_EQ(parse(R"({"code":"x"})").value.format, output_format::usual) << name;
    EXPECT_EQ(parse(R"({"code":"x","format":"toon"})").value.format, output_format::toon) << name;
    EXPECT_EQ(parse(R"({"code":"x","format":"json"})").value.format, output_format::usual) << name;
    EXPECT_NE(parse(R"({"code":"x","format":"xml"})").error.message.find("'format' must be json"), std::string::npos)
      << name;
  }
}

TEST(parse_run, the_usual_format_of_run_python_is_a_setting) {
  using surface::output_format;
  surface::run_limits toon;
  toon.bridge_format = output_format::toon;
  auto parse = [&](const char* name, const char* text) {
    return surface::parse_run(*surface::find_tool(name), test::object(text), toon).value.format;
  };
  EXPECT_EQ(parse("run_python", R"({"code":"x"})"), output_format::toon);
  EXPECT_EQ(parse("run_python", R"({"code":"x","format":"compact"})"), output_format::usual);
  EXPECT_EQ(parse("run-python-code", R"({"code":"x"})"), output_format::usual);
}

TEST(parse_run, the_limits_are_settings) {
  using namespace std::chrono_literals;
  surface::run_limits given{{2s, 4s}, {3s, 3s}, 1'000, surface::output_format::usual};
  auto parse = [&](const char* name, const std::string& text) {
    return surface::parse_run(*surface::find_tool(name), test::object(text), given);
  };
  EXPECT_EQ(parse("run-python-code", R"({"code":"x"})").value.request.timeout_ms, 2'000u);
  EXPECT_EQ(parse("execute_code", R"({"code":"x","timeout":4})").value.request.timeout_ms, 4'000u);
  EXPECT_EQ(parse("run_python", R"({"code":"x"})").value.request.timeout_ms, 3'000u);
  EXPECT_EQ(parse("execute_code", R"({"code":"x","timeoutMs":4001})").error.message,
            "'timeoutMs' must be an integer from 1000 to 4000 (security.maxTimeoutMs), not 4001");
  EXPECT_EQ(parse("run_python", R"({"code":"x","timeout_ms":3001})").error.message,
            "'timeout_ms' must be an integer from 1000 to 3000 (MCP_BRIDGE_MAX_TIMEOUT), not 3001");
  given.bridge = {};
  EXPECT_EQ(parse("run_python", R"({"code":"x"})").value.request.timeout_ms, 4'000u)
    << "not above security.maxTimeoutMs";
  EXPECT_EQ(parse("run_python", R"({"code":"x","timeout":5})").error.message,
            "'timeout' must be an integer from 1 to 4 (security.maxTimeoutMs), not 5");
  EXPECT_TRUE(parse("execute_code", R"({"code":")" + std::string(1'000, 'x') + "\"}").ok());
  EXPECT_EQ(parse("execute_code", R"({"code":")" + std::string(1'001, 'x') + "\"}").error.message,
            "'code' must be at most 1000 bytes (security.maxCodeSize), not 1001");
}

TEST(run_arguments, no_text_holds_what_could_be_taken_for_its_end) {
  struct {
    const char* name;
    const char* field;
  } const cases[] = {{"read", R"("permissions":{"read":["/allowed\u0000--bind"]})"},
                     {"write", R"("permissions":{"write":["/x","/y\n"]})"},
                     {"net", R"("permissions":{"net":["a\u001b[31m"]})"},
                     {"session", R"("session":"a\u0000b")"},
                     {"allowedTools", R"("allowedTools":["mcp__a__*\u0000"])"},
                     {"allowedSamplingModels", R"("allowedSamplingModels":["\u009bm"])"},
                     {"samplingSystemPrompt", R"("samplingSystemPrompt":"a\u0007")"},
                     {"format", R"("format":"json\u0000")"}};
  for (auto& c : cases)
    for (auto* tool : {"run-typescript-code", "run-python-code", "execute_code"}) {
      auto got = run(tool, (std::string{R"({"code":"x",)"} + c.field + "}").c_str());
      EXPECT_EQ(got.error.code, errc::invalid_argument) << c.name;
      EXPECT_NE(got.error.message.find("'" + std::string{c.name} + "'"), std::string::npos) << got.error.message;
      EXPECT_NE(got.error.message.find("control characters"), std::string::npos) << got.error.message;
    }
  auto servers = run("run_python", R"({"code":"x","servers":["a\u0000b"]})");
  EXPECT_NE(servers.error.message.find("'servers' must be a list of texts without control characters"),
            std::string::npos)
    << servers.error.message;
}

TEST(run_arguments, code_may_hold_everything_but_a_nul) {
  auto plain = run("execute_code", R"({"code":"a\n\tb\r\f\u001b","samplingSystemPrompt":"a\n\tb"})");
  EXPECT_TRUE(plain.ok()) << plain.error.message;
  auto refused = run("execute_code", R"({"code":"'a\u0000b'"})").error;
  EXPECT_EQ(refused.message,
            "'code' must be a text without NUL characters (there is one at byte 2 of 5); in a string write \\0");
}

TEST(other_arguments, hold_no_control_characters) {
  EXPECT_NE(surface::parse_search(object(R"({"query":"a\u0000"})")).error.message.find("'query'"), std::string::npos);
  EXPECT_TRUE(surface::parse_search(object(R"({"query":"a\nb"})")).ok());
  EXPECT_NE(surface::parse_search(object(R"({"query":"a","server":"b\n"})")).error.message.find("'server'"),
            std::string::npos);
  EXPECT_NE(surface::parse_signature(object(R"({"server":"a","tool":"b\u0000"})")).error.message.find("'tool'"),
            std::string::npos);
}

} // namespace tools_arguments_test
