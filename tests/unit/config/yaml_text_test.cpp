#include "config/yaml_text.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/config_text.hpp"

#include <gtest/gtest.h>

namespace config_yaml_text_test {

auto parse(std::string_view text) { return test::parse_with(config::parse_yaml, text); }

TEST(yaml_text, becomes_json) {
  struct {
    const char *text, *json;
  } const cases[] = {
    {"", "null"},
    {"# only a comment", "null"},
    {"---\n...", "null"},
    {"a: 1\nb: -2\nc: 1.5", R"({"a":1,"b":-2,"c":1.5})"},
    {"a: true\nb: False\nc: yes\nd: off", R"({"a":true,"b":false,"c":"yes","d":"off"})"},
    {"a:\nb: ~\nc: null\nd: 'null'", R"({"a":null,"b":null,"c":null,"d":"null"})"},
    {"a: 007\nb: 1.50\nc: 1e3\nd: 0x1F\ne: 1_000\nf: 12:30:45\ng: .inf\nh: 99999999999999999999",
     R"({"a":"007","b":"1.50","c":"1e3","d":"0x1F","e":"1_000","f":"12:30:45","g":".inf","h":"99999999999999999999"})"},
    {"a: \"1\"\nb: '2'\nc: !!str 3", R"({"a":"1","b":"2","c":"3"})"},
    {"a: |\n  one\n   two\nb: >\n  one\n  two\n", R"({"a":"one\n two\n","b":"one two\n"})"},
    {"a: [1, 'x', {b: c}]", R"({"a":[1,"x",{"b":"c"}]})"},
    {"- a\n- - b\n  - c", R"(["a",["b","c"]])"},
    {"8080: x\ntrue: y\n~: z", R"({"8080":"x","true":"y","~":"z"})"},
    {"a: &x {k: 1}\nb: *x\nc: &y 5\nd: [*y, *y]", R"({"a":{"k":1},"b":{"k":1},"c":5,"d":[5,5]})"},
    {"a: &x {k: 1, l: 1}\nb:\n  <<: *x\n  k: 2", R"({"a":{"k":1,"l":1},"b":{"k":2,"l":1}})"},
    {"a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}", R"({"a":{"k":1},"b":{"k":2,"l":2},"c":{"k":1,"l":2}})"},
    {"\"<<\": {k: 1}", R"({"<<":{"k":1}})"},
    {"a: \"\\u00e9\\x41\\0\"", "{\"a\":\"éA\\u0000\"}"},
    {"\xEF\xBB\xBF"
     "a: 1",
     R"({"a":1})"},
    {"a: !secret x", R"({"a":"x"})"},
    {"a: 1\r\nb: 2\r\n", R"({"a":1,"b":2})"},
  };
  for (auto& c : cases) {
    auto p = parse(c.text);
    EXPECT_EQ(p.problem, "") << c.text;
    EXPECT_EQ(p.json, c.json) << c.text;
  }
}

TEST(yaml_text, parts_have_positions) {
  std::string_view text = "extensions:\n  s:\n    args:\n      - é\n      - 'x'\n    envs: {ä: 1, B: 2}\n";
  auto p = parse(text);
  auto at = [&](const char* path) { return config::position(text, p.positions.offsets.at(path)); };
  EXPECT_EQ(at("extensions"), "line 1, column 1");
  EXPECT_EQ(at("extensions.s.args[0]"), "line 4, column 9");
  EXPECT_EQ(at("extensions.s.args[1]"), "line 5, column 9");
  EXPECT_EQ(at("extensions.s.envs.B"), "line 6, column 19") << "in bytes, like all columns";
}

TEST(yaml_text, is_bounded) {
  auto repeated = [](std::string_view part, size_t n) {
    std::string out;
    while (n-- > 0)
      out += part;
    return out;
  };
  auto expect = [](const std::string& text, const char* says) {
    auto p = parse(text);
    EXPECT_NE(p.problem.find(says), std::string::npos) << p.problem;
  };
  expect(repeated("[", 100'000), "nested too deeply");
  expect(repeated("{a: ", 100'000), "nested too deeply");
  expect(repeated("- ", 100'000) + "a", "nested too deeply");
  expect("a: [" + repeated("1,", 200'000) + "]", "100000 values");
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " ["
            + repeated("*a" + std::to_string(i - 1) + ",", 10) + "]\n";
  expect(bomb, "100000 values");
  expect("a: &a '" + std::string(100'000, 'x') + "'\nb: [" + repeated("*a,", 1'000) + "]", "100000 values");
  std::string nested; // each anchor keeps a copy of what is in it
  for (int i = 0; i < 150; ++i)
    nested += "&n" + std::to_string(i) + " [";
  expect(nested + repeated("x,", 5'000) + std::string(150, ']'), "100000 values");
}

TEST(yaml_text, an_alias_of_itself_is_a_problem) {
  EXPECT_NE(parse("a: &a\n  b: *a").problem.find("unknown anchor"), std::string::npos);
}

} // namespace config_yaml_text_test
