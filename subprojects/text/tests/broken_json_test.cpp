#include "text/broken_json.hpp"

#include "text/json_parse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace text_broken_json_test {

std::string_view id_in(std::string_view json) { return text::member_of_broken_json(json, "id", 20); }

TEST(broken_json, finds_a_member_of_the_outermost_object) {
  struct {
    const char* json;
    const char* id;
  } const cases[] = {
    {R"({"id":1})", "1"},
    {R"( { "id" : 1 , "x" : NaN } )", "1"},
    {R"({"x":[1,,{"id":2}],"id":"a b"})", R"("a b")"},
    {R"({"x":"\"id\":2","id":"a\"},b"})", R"("a\"},b")"},
    {R"({"x":{"id":2,"y":[{"id":3}]},"id":-4})", "-4"},
    {R"({"x":"id","y":"\\","id":5})", "5"},
    {"{\"id\":6,\"x\":\"\xFF\"}", "6"},
    {R"({"x":Infinity "id":1})", ""}, // no key stands there
    {R"({"x":["id",7],"id":8})", "8"},
    {R"({"x":id,"id":9})", "9"},
  };
  for (auto& c : cases)
    EXPECT_EQ(id_in(c.json), c.id) << c.json;
}

TEST(broken_json, finds_a_member_at_either_end_of_what_is_long) {
  struct {
    const char *beginning, *ending, *id;
  } const cases[] = {
    {R"({"jsonrpc":"2.0","id":7,"result":{"id":8,"te)", R"(xt":"...","id":9}})", "7"},
    {R"({"id":"a\"b","x":)", "", R"("a\"b")"},
    {R"({"result":{"id":8,"te)", R"(xt":"..."},"jsonrpc":"2.0","id":7})", "7"},
    {R"({"result":{"id":8,"te)", "\"}\t,  \"id\" : \"x y\" } \r", R"("x y")"},
    {R"({"result":"...)", R"(x\",\"id\":7}"})", ""},
    {R"({"result":"...)", R"(x","\"id":7})", ""},
    {R"({"result":"...)", R"(x","id":7}})", ""},
    {R"({"result":"...)", R"(x","id":[7]})", ""},
    {R"({"result":"...)", R"(x","id":"a\"b"})", ""},
    {R"({"result":"...)", R"(x","id":7})", "7"},
    {R"({"result":"...)", R"(x",7})", ""},
    {R"({"result":"...)", R"(x")", ""},
    {R"({"id":1)", "2", ""},
    {R"([{"id":1},)", R"({"id":2}])", ""},
    {R"({"id":123456789012345678901234567890,"x":)", "", ""},
    {"", "", ""},
    {"{", "}", ""},
    {"{", "\"}", ""},
  };
  for (auto& c : cases)
    EXPECT_EQ(text::member_of_long_json(c.beginning, c.ending, "id", 20), c.id) << c.beginning << c.ending;
}

TEST(broken_json, finds_nothing_where_it_would_be_a_guess) {
  for (auto* json : {"",
                     " ",
                     "1",
                     "[",
                     R"([{"id":1}])",
                     R"("id":1)",
                     R"({"x":1})",
                     R"({"x":{"id":1}})",
                     R"({"id":1,"id":2})",
                     R"({"id":1,"id":1})",
                     R"({"id":1)",
                     R"({"id":1,"x":"y})",
                     R"({"id":1}})",
                     R"({"id":1} x)",
                     R"({"id":1}{"id":2})",
                     R"({"id":[1]})",
                     R"({"id":{}})",
                     R"({"id":})",
                     R"({"id":9 9,"x":1})",
                     R"({"id":12"x"})",
                     R"({"id":,"x":1})",
                     R"({"id"})",
                     R"({"id" 1})",
                     R"({"id")",
                     R"({"id":)",
                     R"({"ID":1})",
                     R"({id:1})",
                     R"({1id2:1})",
                     R"({"id":"123456789012345678901"})",
                     R"({"id":"\)",
                     R"({"x":"a"id":1"})",
                     "}",
                     "{",
                     "{}"})
    EXPECT_EQ(id_in(json), "") << json;
}

TEST(broken_json, takes_any_depth) {
  std::string deep(1'000'000, '[');
  auto json = "{\"x\":" + deep + std::string(deep.size(), ']') + ",\"id\":7}";
  EXPECT_EQ(id_in(json), "7");
  EXPECT_EQ(id_in("{\"id\":7,\"x\":" + deep), "");
}

TEST(broken_json, is_nested_too_deep_by_its_brackets_outside_of_texts) {
  auto nested = [](size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_TRUE(text::is_nested_too_deep(nested(text::json_depth_max + 1)));
  EXPECT_FALSE(text::is_nested_too_deep(nested(text::json_depth_max)));
  EXPECT_FALSE(text::is_nested_too_deep("\"\\\"" + nested(text::json_depth_max + 1) + "\""));
  EXPECT_FALSE(text::is_nested_too_deep(std::string(1'000, ']') + "\"\\"));
}

} // namespace text_broken_json_test
