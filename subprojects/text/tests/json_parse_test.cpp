#include "text/json_parse.hpp"

#include "text/json_text.hpp"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace text_json_parse_test {

using text::json_dialect;

struct reading {
  std::string text; // of the value
  text::json_problem problem;
};

reading read(std::string_view text, json_dialect dialect = json_dialect::strict) {
  boost::json::value value;
  auto problem = text::parse_json(text, dialect, value);
  return {problem.what.empty() ? text::to_text(value) : "", problem};
}

constexpr auto replaced = "\xEF\xBF\xBD";

std::string with_replaced(std::string text) {
  for (auto at = text.find('?'); at != text.npos; at = text.find('?', at))
    text.replace(at, 1, replaced);
  return text;
}

TEST(json_parse, half_a_surrogate_pair_becomes_the_replacement_character) {
  struct {
    const char* text;
    const char* value; // "?": U+FFFD
  } const cases[] = {
    {R"("\ud83d")", R"("?")"},
    {R"("\uD83D")", R"("?")"},
    {R"("\uDfFf")", R"("?")"},
    {R"("\ud800")", R"("?")"},
    {R"("\udc00\ud800")", R"("??")"},
    {R"("\udcff")", R"("?")"},
    {R"("cut \ud83d")", R"("cut ?")"},
    {R"("\ud83dx")", R"("?x")"},
    {R"("\ud83d\n")", R"("?\n")"},
    {R"("\uD83D\u0041")", R"("?A")"},
    {R"("\ud83d\ud83d\ude00")", R"("?😀")"},
    {R"("\ude00\ud83d\ude00\ude00")", R"("?😀?")"},
    {R"("\ud83d\\ude00")", R"("?\\ude00")"},
    {R"("\\\ud83d")", R"("\\?")"},
    {R"({"\ud83d":"\\ud83d"})", R"({"U+d83d":"\\ud83d"})"},
    {R"({"\ud800":"first","\udbff" : "\udbff"})", R"({"U+d800":"first","U+dbff":"?"})"},
    {R"({"a\ud800b\udbff":["\ud800"],"\"\ud800":1})", R"({"aU+d800bU+dbff":["?"],"\"U+d800":1})"},
    {R"(["\\ud83d","\\\\ude00","\ud83d\ude00",["\ude00"],1])", R"(["\\ud83d","\\\\ude00","😀",["?"],1])"},
  };
  for (auto& c : cases) {
    auto got = read(c.text);
    EXPECT_EQ(got.problem.what, "") << c.text;
    EXPECT_EQ(got.text, with_replaced(c.value)) << c.text;
  }
}

TEST(json_parse, pairs_and_what_only_looks_like_one_stay_what_they_are) {
  EXPECT_EQ(read(R"("\ud83d\ude00\uD83D\uDE00")").text, "\"😀😀\"");
  EXPECT_EQ(read(R"("\\ud83d")").text, R"("\\ud83d")");
  EXPECT_EQ(read(R"("\ud7ff\ue000")").text, "\"\xED\x9F\xBF\xEE\x80\x80\"");
  EXPECT_EQ(read(R"("\u0000\ud83d")").text, with_replaced(R"("\u0000?")"));
}

TEST(json_parse, half_a_pair_is_found_wherever_it_is_in_a_long_text) {
  for (size_t before = 4070; before < 4110; ++before) { // what Boost.JSON takes at once has 4 KiB
    auto head = "[\"\\n" + std::string(before, 'x'), tail = std::string(5000, 'y') + "\",\"";
    EXPECT_EQ(read(head + "\\ud83d" + tail + "\\ude00\"]").text, with_replaced(head + "?" + tail + "?\"]")) << before;
  }
}

TEST(json_parse, what_else_is_wrong_is_told_with_its_place) {
  struct {
    const char* text;
    size_t at;
  } const cases[] = {
    {R"(["\ud83d",x])", 10}, {R"(["\ud83d"] x)", 11}, {R"([x,"\ud83d"])", 1},
    {R"(\ud83d)", 0},        {R"([\ud83d])", 1},      {R"(["\ud83d","\x"])", 12},
  };
  for (auto& c : cases) {
    auto got = read(c.text);
    EXPECT_NE(got.problem.what, "") << c.text;
    EXPECT_EQ(got.problem.at, c.at) << c.text;
  }
  for (auto* text : {R"("\ud83)", R"("\ud83")", R"("\ud83d)", R"("\ud83d\)", R"("\ud83d\u)", R"("\ud83d\u12")",
                     R"("\ud83d\ude0g")", R"("\ud83g")"})
    EXPECT_NE(read(text).problem.what, "") << text;
  EXPECT_NE(read("[\"\\ud83d\",\"\xED\xA0\xBD\"]").problem.what, "") << "bytes that are no UTF-8";
}

TEST(json_parse, files_that_people_edit_may_hold_half_a_pair_too) {
  EXPECT_EQ(read("{\"a\": \"\\ud83d\", // \\ud83d \"\n \"b\": \"// \\ude00\",}", json_dialect::edited).text,
            with_replaced(R"({"a":"?","b":"// ?"})"));
}

} // namespace text_json_parse_test
