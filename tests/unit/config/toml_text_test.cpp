#include "config/toml_text.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/config_text.hpp"

#include <gtest/gtest.h>

namespace config_toml_text_test {

auto parse(std::string_view text) { return test::parse_with(config::parse_toml, text); }

TEST(toml_text, becomes_json) {
  struct {
    const char *text, *json;
  } const cases[] = {
    {"", "{}"},
    {"# only a comment", "{}"},
    {"a = 1\nb = 0x1F\nc = -5", R"({"a":1,"b":31,"c":-5})"},
    {"a = 1.5\nb = 1e3\nc = inf\nd = nan", R"({"a":1.5,"b":1000.0,"c":"inf","d":"nan"})"},
    {"a = true\nb = false", R"({"a":true,"b":false})"},
    {R"(a = "x\ty é\u00e9")", "{\"a\":\"x\\ty é\u00e9\"}"},
    {"a = 'C:\\dir'", R"({"a":"C:\\dir"})"},
    {"a = \"\"\"\none\n  two\"\"\"", R"({"a":"one\n  two"})"},
    {"a = [1, 'x', [true]]", R"({"a":[1,"x",[true]]})"},
    {"a = {b = 1, c.d = 2}", R"({"a":{"b":1,"c":{"d":2}}})"},
    {"[a.b]\nc = 1\n[[d]]\ne = 1\n[[d]]\ne = 2", R"({"a":{"b":{"c":1}},"d":[{"e":1},{"e":2}]})"},
    {"\"a.b\" = 1", R"({"a.b":1})"},
    {"a = 1979-05-27\nb = 07:32:00\nc = 1979-05-27T07:32:00Z",
     R"({"a":"1979-05-27","b":"07:32:00","c":"1979-05-27T07:32:00Z"})"},
    {"a = 9223372036854775807\r\nb = 2\r\n", R"({"a":9223372036854775807,"b":2})"},
  };
  for (auto& c : cases) {
    auto p = parse(c.text);
    EXPECT_EQ(p.problem, "") << c.text;
    EXPECT_EQ(p.json, c.json) << c.text;
  }
}

TEST(toml_text, parts_have_positions) {
  std::string_view text = "[mcp_servers.s]\nargs = [\n  'é', 'x',\n  'y']\nenv = {A = 'ä', B = '1'}\n";
  auto p = parse(text);
  auto at = [&](const char* path) { return config::position(text, p.positions.offsets.at(path)); };
  EXPECT_EQ(at("mcp_servers.s"), "line 1, column 14");
  EXPECT_EQ(at("mcp_servers.s.args"), "line 2, column 1");
  EXPECT_EQ(at("mcp_servers.s.args[1]"), "line 3, column 9") << "in bytes, like all columns";
  EXPECT_EQ(at("mcp_servers.s.args[2]"), "line 4, column 3");
  EXPECT_EQ(at("mcp_servers.s.env.B"), "line 5, column 18");
}

TEST(toml_text, is_bounded) {
  auto repeated = [](std::string_view part, size_t n) {
    std::string out;
    while (n-- > 0)
      out += part;
    return out;
  };
  EXPECT_NE(parse(repeated("a.", 100'000) + "a = 1").problem.find("32 parts"), std::string::npos);
  EXPECT_NE(parse("[" + repeated("'a' . ", 100'000) + "a]").problem.find("32 parts"), std::string::npos);
  EXPECT_NE(parse("x = {" + repeated("\"\\\"\".", 100'000) + "a = 1}").problem.find("32 parts"), std::string::npos);
  EXPECT_NE(parse("a = " + repeated("[", 100'000)).problem, "");
  EXPECT_NE(parse("a = " + repeated("{a = ", 100'000)).problem, "");
  EXPECT_NE(parse("a = [" + repeated("1,", 100'000) + "]").problem.find("100000 values"), std::string::npos);
}

TEST(toml_text, a_table_has_a_name) { // toml++ asserts that it begins like one
  for (auto* text : {"[:x]", "[[:x]]", "[ .x]", "a = 1\n  [=]", "[[ ]]", "a = [\n[1]]\n[:x]", "x = {a = [1]}\n[\xFF]",
                     "[", "[[", "[\n", "[]"})
    EXPECT_NE(parse(text).problem, "") << text;
  for (auto* text :
       {"[ 'a' . b ]", "[[\"a\"]]", "[-]", "a = [\n[1],\n[:\n]",
        "a = [\n  [1],\n  ['x'],\n]\n[ b ]\nc = {d = [1]}\n[e] # [:x]", "a = '[:x]'", "a = '''\n[:x]\n'''"})
    EXPECT_EQ(parse(text).problem.find("name of a table"), std::string::npos) << text;
}

TEST(toml_text, letters_beyond_ascii_need_quotes) { // toml++ takes them for impossible in its table of white space
  for (auto* text : {"a = é", "é = 1", "a = 1 é", "[é]", "[a.é]", "a = [é]", "a = {é = 1}", "\u0800", "a = \uFEFE"})
    EXPECT_NE(parse(text).problem, "") << text;
  EXPECT_EQ(parse("'é' = \"\"\"\\\n  é\"\"\" # é").json, "{\"é\":\"é\"}");
}

TEST(toml_text, dots_elsewhere_are_no_parts_of_keys) {
  std::string dots(1'000, '.');
  for (auto& text :
       {"a = '" + dots + "'", "a = \"" + dots + "\"", "a = \"\"\"" + dots + "\"\"\"", "a = '''\n'" + dots + "''\n'''",
        "a = 1 # " + dots + "\nb = 2", "a = [1.5, 2.5, '" + dots + "', \"\\\"" + dots + "\"]"})
    EXPECT_EQ(parse(text).problem, "") << text;
}

} // namespace config_toml_text_test
