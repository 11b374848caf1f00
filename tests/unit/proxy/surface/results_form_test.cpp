// What models, and the clients between, make of a result.
#include "tests/unit/proxy/surface/results_fixture.hpp"

namespace tools_results_form_test {

using namespace results_tests;

TEST(standard_result, says_once_that_it_is_an_error_and_where) {
  auto text = [](std::string name, std::string message, std::string stack) {
    auto r = failure(std::move(name), std::move(message));
    r.error.line = 2;
    r.error.column = stack.empty() ? 0 : 7;
    r.error.stack = std::move(stack);
    return text_of(result("run-typescript-code", r));
  };
  EXPECT_EQ(text("Error", "boom", ""), "Error: boom\nat line 2");
  EXPECT_EQ(text("", "timed out", ""), "Error: timed out\nat line 2");
  EXPECT_EQ(text("NotCapable", "no", ""), "Error: NotCapable: no\nat line 2");
  EXPECT_EQ(text("Error", "{\"a\":1}", "Error: {\"a\":1}\n    at code.ts:2:7\n"),
            "Error: {\"a\":1}\n    at code.ts:2:7");
  EXPECT_EQ(
    text("ValueError", "boom", "Traceback (most recent call last):\n  File \"<code>\", line 2\nValueError: boom\n"),
    "ValueError: boom\nat line 2, column 7\n  File \"<code>\", line 2");
}

TEST(standard_result, ends_with_what_was_left_out) { // clients cut the middle
  auto r = success();
  r.output.head = std::string(100'000, 'x');
  r.has_result = true;
  r.result = msg::document{json::value(std::string(200'000, 'y'))};
  for (auto* tool : {"run-typescript-code", "run_python"}) {
    auto text = text_of(result(tool, r));
    EXPECT_TRUE(text.ends_with("]")) << tool;
    EXPECT_NE(text.find("\n[stdout: 100000 bytes in all; "), text.npos) << tool;
  }
  EXPECT_NE(text_of(result("run-typescript-code", r)).find("\n[result: 200000 bytes in all; "), std::string::npos);
  EXPECT_EQ(structured(result("execute_code", r)).at("leftOut").as_array().size(), 2u);
  EXPECT_FALSE(structured(result("execute_code", success())).contains("leftOut"));
}

TEST(results, end_their_lines_before_the_next_block) {
  auto r = success();
  r.output.head = "printed";
  r.displayed = {{msg::block_kind::text, msg::document{json::value("shown")}, ""},
                 {msg::block_kind::image, msg::document{json::value("aGk=")}, "image/png"}};
  auto content = result("run-python-code", r).at("content").as_array();
  EXPECT_EQ(content.at(0).at("text"), "printed\n");
  EXPECT_EQ(content.at(1).at("text"), "shown\n");
  r.displayed.pop_back();
  EXPECT_EQ(result("run-python-code", r).at("content").at(1).at("text"), "shown") << "nothing follows";
}

TEST(results, show_no_more_than_is_wanted) {
  auto r = success();
  r.output.head = std::string(5'000, 'x');
  surface::presentation how;
  how.chars_max = 1'000;
  EXPECT_LT(text_of(surface::run_result(*surface::find_tool("run-python-code"), r, how)).size(), 2'000u);
}

TEST(results, are_for_programs_in_meta) {
  auto o = result("run-python-code", success());
  auto report = structured(o);
  surface::report_in_meta(o);
  EXPECT_FALSE(o.contains("structuredContent"));
  EXPECT_EQ(o.at("_meta").at("code-executor/report"), json::value(report));
}

TEST(standard_result, of_texts_without_characters_says_what_they_are) {
  struct {
    const char *printed, *result, *text;
  } const cases[] = {
    {"", R"("")", "Done: the program printed nothing and returned an empty text."},
    {"\n", nullptr, "Done: the program printed an empty line and returned nothing."},
    {"\n\n", nullptr, "Done: the program printed empty lines and returned nothing."},
    {"\n", R"("")", "Done: the program printed an empty line and returned an empty text."},
    {"", R"("\n")", "Done: the program printed nothing and returned a text of line ends alone."},
  };
  for (auto& c : cases) {
    auto r = success();
    r.output.head = c.printed;
    r.has_result = c.result != nullptr;
    if (c.result)
      r.result = test::doc(c.result);
    EXPECT_EQ(text_of(result("run-python-code", r)), c.text);
  }
}

TEST(standard_result, leaves_values_alone_and_says_what_texts_have_lost) {
  auto note = std::string{"[escape sequences for a terminal were left out of the text]"};
  auto r = success();
  r.output.head = "a\x1b[31mred\x1b[0m\n";
  EXPECT_EQ(text_of(result("run-python-code", r)), "ared") << "colours are no loss";
  r.output.head = "before\x1b AFTER\x1b]0;title\a\n";
  r.has_result = true;
  r.result = msg::document{json::value("r\x1b[2K")};
  auto shown = result("run-python-code", r);
  EXPECT_EQ(text_of(shown), "before AFTER\nr\n" + note);
  EXPECT_EQ(structured(shown).at("result"), "r\x1b[2K");
  r.output.head.clear();
  EXPECT_EQ(text_of(result("run-python-code", r)), "r\n" + note);
  r.result = msg::document{json::object{{"k", "r\x1b[2K"}}};
  shown = result("run-python-code", r);
  EXPECT_EQ(text_of(shown), R"({"k":"r\u001b[2K"})");
  EXPECT_EQ(structured(shown).at("result").at("k"), "r\x1b[2K");
}

} // namespace tools_results_form_test
