#include "proxy/word_arguments.hpp"

#include "text/json_parse.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace proxy_word_arguments_test {

namespace json = boost::json;
using words = std::vector<std::string>;

json::value parsed(std::string_view text) {
  json::value out;
  EXPECT_EQ(text::parse_json(text, text::json_dialect::strict, out).what, "") << text;
  return out;
}

/// As JSON; else the complaint.
std::string read(const words& given, std::string_view schema) {
  auto out = proxy::read_word_arguments(given, parsed(schema));
  return out.ok() ? text::to_text(json::value(out.value)) : out.error.message;
}

/// Of one parameter `p`.
std::string read_one(const std::string& text, std::string_view schema) {
  auto out = read({"p=" + text}, R"({"type":"object","properties":{"p":)" + std::string{schema} + "}}");
  return out.starts_with(R"({"p":)") ? out.substr(5, out.size() - 6) : out;
}

TEST(word_arguments, values_have_the_types_of_the_schema) {
  struct {
    const char *schema, *text, *value;
  } const cases[] = {
    {R"({"type":"string"})", "5", R"("5")"},
    {R"({"type":"string"})", "", R"("")"},
    {R"({"type":"string"})", "{\"a\":1}", R"("{\"a\":1}")"},
    {R"({"type":"string"})", "a=b", R"("a=b")"},
    {R"({"type":"integer"})", "5", "5"},
    {R"({"type":"integer"})", "-9007199254740993", "-9007199254740993"},
    {R"({"type":"number"})", "2.5", "2.5"},
    {R"({"type":"number"})", "5", "5"},
    {R"({"type":"boolean"})", "true", "true"},
    {R"({"type":"null"})", "null", "null"},
    {R"({"type":"array"})", "[1,\"a\"]", R"([1,"a"])"},
    {R"({"type":"array","items":{"type":"string"}})", "5", R"(["5"])"},
    {R"({"type":"array","items":{"type":"integer"}})", "5", "[5]"},
    {R"({"type":"object"})", "{\"a\":[]}", R"({"a":[]})"},
    {R"({"type":["integer","null"]})", "null", "null"},
    {R"({"type":["string","integer"]})", "5", R"("5")"},
    {R"({"anyOf":[{"type":"integer"},{"type":"null"}]})", "7", "7"},
    {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "null", R"("null")"},
    {R"({"enum":["a",1,true]})", "1", "1"},
    {R"({"enum":["a",1,true]})", "true", "true"},
    {R"({"enum":["1"]})", "1", R"("1")"},
    {R"({"type":"integer","enum":[1,2]})", "2", "2"},
    {R"({"const":"x"})", "x", R"("x")"},
    {R"({})", "5", "5"},
    {R"({})", "five", R"("five")"},
    {R"({})", "007", R"("007")"},
    {R"(true)", "[1]", "[1]"},
    {R"({"description":"anything"})", "{\"a\":1}", R"({"a":1})"},
  };
  for (auto& [schema, text, value] : cases)
    EXPECT_EQ(read_one(text, schema), value) << schema << " " << text;
}

TEST(word_arguments, what_does_not_fit_is_told) {
  struct {
    const char *schema, *text, *why;
  } const cases[] = {
    {R"({"type":"integer"})", "2.5", "'p' must be of type integer, not '2.5'"},
    {R"({"type":"integer"})", "", "'p' must be of type integer, not ''"},
    {R"({"type":"number"})", "two", "'p' must be of type number, not 'two'"},
    {R"({"type":"boolean"})", "yes", "'p' must be of type boolean, not 'yes'"},
    {R"({"type":"object"})", "x", "'p' must be of type object, as JSON, not 'x'"},
    {R"({"type":"array","items":{"type":"integer"}})", "x", "'p' must be of type integer, not 'x'"},
    {R"({"type":"array"})", "[1", "'p' must be of type array, as JSON, not '[1'"},
    {R"({"enum":["fast",1]})", "slow", "'p' must be one of fast, 1, not 'slow'"},
  };
  for (auto& [schema, text, why] : cases)
    EXPECT_EQ(read_one(text, schema), why) << schema << " " << text;
}

TEST(word_arguments, pieces_of_a_list) {
  auto schema = R"({"properties":{"tag":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"}}})";
  EXPECT_EQ(read({"tag=a", "n=1", "tag=2"}, schema), R"({"tag":["a","2"],"n":1})");
  EXPECT_EQ(read({"n=1", "n=2"}, schema), "'n' is given 2 times");
}

TEST(word_arguments, names_are_those_of_the_schema) {
  auto schema = R"({"properties":{"path":{"type":"string"},"depth":{"type":"integer"}},"required":["path","depth"]})";
  EXPECT_EQ(read({"path=x", "depth=1"}, schema), R"({"path":"x","depth":1})");
  EXPECT_EQ(read({"pth=x"}, schema), "unknown parameter 'pth'; did you mean 'path'? Known: path, depth");
  EXPECT_EQ(read({"path=x"}, schema), "missing: depth");
  EXPECT_EQ(read({}, schema), "missing: path, depth");
  EXPECT_EQ(read({"other=5"}, R"({"properties":{},"additionalProperties":{"type":"integer"}})"), R"({"other":5})");
  EXPECT_EQ(read({"other=5"}, R"({"properties":{}})"), "unknown parameter 'other'. The tool takes none");
  EXPECT_EQ(read({"other=5"}, R"({"type":"object"})"), R"({"other":5})");
  EXPECT_EQ(read({}, "null"), "{}");
}

TEST(word_arguments, words_that_are_none) {
  for (auto& word : {"x", "=x", "", "[1]"})
    EXPECT_EQ(read({word}, "{}"),
              "'" + std::string{word} + "' is no argument: write name=value, or all of them as one JSON object");
  EXPECT_TRUE(read({"a=\xff"}, "{}").ends_with("is no UTF-8 text"));
}

TEST(word_arguments, references_are_followed_within_bounds) {
  auto of = [](std::string_view text, std::string_view definitions) {
    return read({"p=" + std::string{text}},
                R"({"properties":{"p":{"$ref":"#/$defs/one"}},"$defs":)" + std::string{definitions} + "}");
  };
  EXPECT_EQ(of("5", R"({"one":{"type":"integer"}})"), R"({"p":5})");
  EXPECT_EQ(of("5", R"({"one":{"$ref":"#/$defs/two"},"two":{"type":"string"}})"), R"({"p":"5"})");
  EXPECT_EQ(of("5", R"({"one":{"$ref":"#/$defs/one"}})"), R"({"p":5})");
  EXPECT_EQ(of("5", R"({"one":{"anyOf":[{"$ref":"#/$defs/one"},{"$ref":"#/$defs/one"},{"$ref":"#/$defs/one"}]}})"),
            R"({"p":5})");
  EXPECT_EQ(of("5", R"({})"), R"({"p":5})");
  std::string wide = R"({"properties":{"p":{"anyOf":[{"type":"integer"})";
  for (int i = 0; i < 10'000; ++i)
    wide += R"(,{"anyOf":[{"type":"null"}]})";
  EXPECT_EQ(read({"p=5"}, wide + "]}}}"), R"({"p":5})");
}

} // namespace proxy_word_arguments_test
