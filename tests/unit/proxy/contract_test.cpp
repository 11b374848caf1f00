#include "proxy/contract.hpp"

#include "messages/limits.hpp"
#include "testing/cpu_time.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace proxy_contract_test {

namespace json = boost::json;

std::unique_ptr<proxy::contract> contract_of(std::string_view definition) {
  return std::make_unique<proxy::contract>(
    msg::tool_info{"fs", "read_file", "", msg::document{json::parse(definition)}});
}

msg::fault check(const proxy::contract& c, const msg::document& arguments) {
  proxy::taken_arguments as_given;
  auto problem = c.check_arguments(arguments, as_given);
  EXPECT_FALSE(as_given.value) << as_given.note;
  return problem;
}

msg::document doc(std::string_view text) { return msg::document{json::parse(text)}; }

constexpr const char* read_file = R"({"name": "read_file", "inputSchema": {"type": "object", "properties": {
  "path": {"type": "string", "description": "Path of the file"},
  "mode": {"enum": ["text", "binary"]},
  "options": {"type": "object", "properties": {"depth": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
              "additionalProperties": false}},
  "required": ["path"], "additionalProperties": false}})";

std::string complaint(std::string_view arguments, std::string_view definition = read_file) {
  auto problem = check(*contract_of(definition), doc(arguments));
  EXPECT_EQ(problem.code, msg::errc::invalid_argument) << arguments;
  return problem.message;
}

TEST(contract, arguments_that_fit_pass) {
  EXPECT_EQ(check(*contract_of(read_file), doc(R"({"path": "a", "options": {"depth": 1}})")).code, msg::errc::none);
}

TEST(contract, a_scalar_that_was_given_as_text_is_read) {
  auto c = contract_of(R"({"inputSchema": {"properties": {
    "n": {"type": "integer"}, "x": {"type": ["number", "null"]}, "b": {"type": "boolean"}, "t": {"type": "string"},
    "o": {"properties": {"a/b": {"type": "integer"}}}, "l": {"items": {"type": "integer"}}, "any": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}})");
  struct {
    const char *given, *taken;
  } const cases[] = {
    {R"({"n": "5"})", R"({"n":5})"},
    {R"({"n": "-12", "x": "1.5", "b": "true"})", R"({"n":-12,"x":1.5,"b":true})"},
    {R"({"b": "False", "t": "5"})", R"({"b":false,"t":"5"})"},
    {R"({"o": {"a/b": "7"}, "l": [1, "2"]})", R"({"o":{"a/b":7},"l":[1,2]})"},
    {R"({"any": "3"})", R"({"any":3})"},
    {R"({"n": "9223372036854775807"})", R"({"n":9223372036854775807})"},
    {R"({"n": "-9223372036854775808"})", R"({"n":-9223372036854775808})"},
    {R"({"x": "18446744073709551615"})", R"({"x":18446744073709551615})"},
    {R"({"x": "0.1"})", R"({"x":0.1})"},
    {R"({"x": "0.10000000000000001"})", R"({"x":0.1})"},
    {R"({"x": "-1.50"})", R"({"x":-1.5})"},
    {R"({"x": "0.0"})", R"({"x":0.0})"},
    {R"({"x": "1e3"})", R"({"x":1000.0})"},
    {R"({"x": "1.7976931348623157e308"})", R"({"x":1.7976931348623157e+308})"},
    {R"({"x": "5e-324"})", R"({"x":5e-324})"},
    {R"({"x": "0.30000000000000004"})", R"({"x":0.30000000000000004})"},
  };
  for (auto& one : cases) {
    proxy::taken_arguments taken;
    EXPECT_EQ(c->check_arguments(doc(one.given), taken).code, msg::errc::none) << one.given;
    ASSERT_TRUE(taken.value) << one.given;
    EXPECT_EQ(taken.value->text(), one.taken);
    EXPECT_NE(taken.note.find("given as text"), std::string::npos) << taken.note;
  }
  for (auto* given : {R"({"n": "5.5"})",
                      R"({"n": "five"})",
                      R"({"n": ""})",
                      R"({"n": "0x5"})",
                      R"({"b": "1"})",
                      R"({"b": "yes"})",
                      R"({"n": "123456789012345678901"})",
                      R"({"n": "18446744073709551617"})",
                      R"({"n": "-9223372036854775809"})",
                      R"({"n": "1.0"})",
                      R"({"n": "1e3"})",
                      R"({"any": "1.0"})",
                      R"({"x": "123456789012345678901"})",
                      R"({"x": "1e-400"})",
                      R"({"x": "1e400"})",
                      R"({"x": "4e-324"})",
                      R"({"x": "0.12345678901234567890123"})",
                      R"({"x": "9007199254740993.0"})",
                      R"({"n": "5", "b": "maybe"})",
                      R"({"n": "null"})",
                      R"({"n": [5]})"})
    EXPECT_EQ(check(*c, doc(given)).code, msg::errc::invalid_argument) << given;
}

TEST(contract, null_counts_as_not_given_where_the_tool_takes_none) {
  auto c = contract_of(R"({"inputSchema": {"required": ["r"], "properties": {
    "r": {"type": "string"}, "n": {"type": "integer"}, "z": {"type": ["string", "null"]}, "o": {"properties": {"a/b": {"type": "integer"}}},
    "l": {"items": {"type": "integer"}}}}})");
  struct {
    const char *given, *taken;
  } const cases[] = {
    {R"({"r": "x", "n": null, "z": null})", R"({"r":"x","z":null})"},
    {R"({"r": "x", "o": {"a/b": null}})", R"({"r":"x","o":{}})"},
    {R"({"r": "x", "n": "5", "o": {"a/b": null}})", R"({"r":"x","n":5,"o":{}})"},
  };
  for (auto& one : cases) {
    proxy::taken_arguments taken;
    EXPECT_EQ(c->check_arguments(doc(one.given), taken).code, msg::errc::none) << one.given;
    ASSERT_TRUE(taken.value) << one.given;
    EXPECT_EQ(taken.value->text(), one.taken);
    EXPECT_NE(taken.note.find("was given as null"), std::string::npos) << taken.note;
  }
  for (auto* given : {R"({"r": null})", R"({"r": "x", "l": [null]})"})
    EXPECT_EQ(check(*c, doc(given)).code, msg::errc::invalid_argument) << given;
}

TEST(contract, a_complaint_says_what_is_wrong_what_is_expected_and_what_was_given) {
  EXPECT_EQ(complaint(R"({"mode": "txt", "options": {"depth": "2"}})"),
            "Parameter validation failed for \"mcp__fs__read_file\"\n"
            "\n"
            "Errors:\n"
            "  - Invalid value for \"mode\": must be one of \"text\" or \"binary\", got \"txt\""
            " (did you mean \"text\"?)\n"
            "  - Type mismatch for \"options.depth\": expected integer, got \"2\""
            " (give the number without quotes)\n"
            "  - Missing required parameter: path\n"
            "\n"
            "Expected parameters:\n"
            "  Required:\n"
            "    path: string - Path of the file\n"
            "  Optional:\n"
            "    mode: \"text\" | \"binary\"\n"
            "    options: object\n"
            "\n"
            "You provided:\n"
            "  {\"mode\":\"txt\",\"options\":\"{1 fields}\"}");
}

TEST(contract, a_typo_is_told_once_with_the_name_that_was_meant) {
  auto text = complaint(R"({"pth": "a"})");
  EXPECT_NE(text.find("Missing required parameter: path (you gave \"pth\")"), text.npos) << text;
  EXPECT_EQ(text.find("Unexpected parameter"), text.npos) << text;
  auto other = complaint(R"({"path": "a", "mod": "text"})");
  EXPECT_NE(other.find("Unexpected parameter: mod; did you mean \"mode\"?"), other.npos) << other;
  auto problem = check(*contract_of(read_file), doc(R"({"pth": "a"})"));
  EXPECT_EQ(problem.suggestions, std::vector<std::string>{"path"});
  EXPECT_EQ(problem.server, "fs");
  EXPECT_EQ(problem.tool, "read_file");
}

TEST(contract, nested_places_are_written_as_programs_write_them) {
  auto text = complaint(R"({"path": "a", "options": {"tags": ["x", 5]}})");
  EXPECT_NE(text.find("Type mismatch for \"options.tags[1]\": expected string, got 5"), text.npos) << text;
}

TEST(contract, a_complaint_is_short_however_large_everything_is) {
  json::object properties, arguments{{"long", std::string(100'000, 'x')}};
  for (int i = 0; i < 1'000; ++i) {
    properties["parameter_" + std::to_string(i)] =
      json::object{{"type", "string"}, {"description", std::string(10'000, 'd')}};
    arguments["wrong_" + std::to_string(i)] = i;
  }
  json::object definition{
    {"inputSchema", json::object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}}};
  auto text = complaint(json::serialize(arguments), json::serialize(definition));
  EXPECT_LT(text.size(), 12'000u);
  EXPECT_NE(text.find("and 970 more"), text.npos);
}

TEST(contract, a_schema_that_is_wrong_in_parts_is_followed_in_the_others) {
  auto* definition =
    R"({"inputSchema": {"type": "object", "properties": {"a": {"type": "str"}, "b": {"type": "integer"}}, "required": ["a"]}})";
  EXPECT_EQ(check(*contract_of(definition), doc(R"({"a": 1})")).code, msg::errc::none);
  EXPECT_NE(complaint(R"({"a": "x", "b": "y"})", definition).find("\"b\": expected integer"), std::string::npos);
  EXPECT_EQ(check(*contract_of(R"({"name": "x"})"), doc("{}")).code, msg::errc::none);
  EXPECT_EQ(check(*contract_of(R"({"inputSchema": "nonsense"})"), doc("{}")).code, msg::errc::none);
  EXPECT_EQ(check(*contract_of(R"("no object")"), doc("{}")).code, msg::errc::none);
}

TEST(contract, draft_7_and_2020_12_are_told_apart) {
  auto of = [](std::string_view draft) {
    return R"({"inputSchema": {"$schema": ")" + std::string{draft}
           + R"(", "properties": {"a": {"items": [{"type": "string"}], "additionalItems": false}}}})";
  };
  EXPECT_NE(complaint(R"({"a": [1]})", of("http://json-schema.org/draft-07/schema#")).find("a[0]"), std::string::npos);
  EXPECT_EQ(check(*contract_of(of("https://json-schema.org/draft/2020-12/schema")), doc(R"({"a": [1]})")).code,
            msg::errc::none);
}

TEST(contract, a_result_that_breaks_its_promise_is_told_of) {
  auto c = contract_of(
    R"({"inputSchema": {}, "outputSchema": {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}})");
  EXPECT_FALSE(c->keeps_at_once(doc(R"({"structuredContent": {"sum": 3}})"))) << "it is not compiled";
  EXPECT_TRUE(c->keeps_at_once(doc(R"({"content": []})"))) << "there is nothing to compare";
  EXPECT_EQ(c->check_result(doc(R"({"structuredContent": {"sum": 3}})")), "");
  EXPECT_EQ(c->check_result(doc(R"({"content": []})")), "");
  EXPECT_EQ(c->check_result(doc(R"({"structuredContent": {"sum": "3"}, "isError": true})")), "");
  auto warning = c->check_result(doc(R"({"structuredContent": {"sum": "3"}})"));
  EXPECT_NE(warning.find("mcp__fs__read_file"), warning.npos);
  EXPECT_NE(warning.find("/sum: expected a number"), warning.npos) << warning;
  EXPECT_TRUE(c->keeps_at_once(doc(R"({"structuredContent": {"sum": 3}})")));
  EXPECT_FALSE(c->keeps_at_once(doc(R"({"structuredContent": {"sum": "3"}})")));
  EXPECT_TRUE(contract_of(read_file)->keeps_at_once(doc(R"({"structuredContent": {"sum": "3"}})")))
    << "nothing was promised";
}

TEST(contract, nothing_is_compiled_at_once) {
  auto c = contract_of(read_file);
  auto good = doc(R"({"path": "a"})");
  EXPECT_FALSE(c->takes_at_once(good));
  EXPECT_EQ(c->memory_bytes(), 0u);
  EXPECT_EQ(check(*c, good).code, msg::errc::none);
  EXPECT_TRUE(c->takes_at_once(good));
  EXPECT_GT(c->memory_bytes(), 0u);
  EXPECT_FALSE(c->takes_at_once(doc(R"({"path": 1})"))) << "what is wrong is for the check to say";
  EXPECT_FALSE(
    c->takes_at_once(msg::document{json::object{{"path", std::string(msg::limits::json_inline_bytes_max, 'a')}}}))
    << "it is long";
  EXPECT_TRUE(contract_of(R"({"name": "x"})")->takes_at_once(good)) << "there is nothing to compile";
}

TEST(contract, what_takes_many_steps_is_not_known_at_once) {
  auto c = contract_of(R"({"inputSchema": {"properties": {"a": {"items": {"pattern": "^(a+)+$"}}}}})");
  json::array texts(50, json::value(std::string(28, 'a') + "!"));
  EXPECT_EQ(check(*c, doc("{}")).code, msg::errc::none);
  auto begin = test::cpu_time();
  EXPECT_FALSE(c->takes_at_once(msg::document{json::object{{"a", texts}}}));
  EXPECT_LT(test::cpu_time() - begin, std::chrono::seconds{1}) << "the whole check takes 5,000,000 steps";
  json::object fan;
  for (int i = 0; i < 30; ++i)
    fan["d" + std::to_string(i)] = {
      {"allOf", json::array(2, json::value{{"$ref", "#/$defs/d" + std::to_string(i + 1)}})}};
  fan["d30"] = true;
  auto wide =
    contract_of(json::serialize(json::object{{"inputSchema", json::object{{"$defs", fan}, {"$ref", "#/$defs/d0"}}}}));
  EXPECT_EQ(check(*wide, doc("{}")).code, msg::errc::none);
  EXPECT_FALSE(wide->takes_at_once(doc("{}")));
}

TEST(contract, a_schema_that_would_take_too_much_is_not_checked) {
  json::array values;
  for (int i = 0; i < 150'000; ++i)
    values.push_back(json::value(std::string(100, 'x') + std::to_string(i)));
  auto c = contract_of(json::serialize(
    json::object{{"inputSchema", json::object{{"properties", json::object{{"a", json::object{{"enum", values}}}}}}}}));
  EXPECT_EQ(check(*c, doc(R"({"a": "none of them"})")).code, msg::errc::none);
  EXPECT_TRUE(c->takes_at_once(doc("{}"))) << "now it is known that nothing is checked";
  EXPECT_EQ(c->memory_bytes(), 0u);
}

TEST(contract, is_compiled_once_for_all_threads) {
  auto c = contract_of(read_file);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 100; ++j)
        EXPECT_EQ(check(*c, doc(R"({"path": 1})")).code, msg::errc::invalid_argument);
    });
  for (auto& t : threads)
    t.join();
}

} // namespace proxy_contract_test
