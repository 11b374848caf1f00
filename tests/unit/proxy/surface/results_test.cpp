// The shapes of the three seeds.
#include "tests/unit/proxy/surface/results_fixture.hpp"

#include <set>

namespace tools_results_test {

using namespace results_tests;

TEST(results, is_error_exactly_if_the_run_failed) {
  for (auto* tool : {"run-typescript-code", "execute_code", "run_python"})
    for (auto status : {run_status::success, run_status::error, run_status::timeout, run_status::cancelled}) {
      auto r = failure("", "why");
      r.status = status;
      auto o = result(tool, r);
      EXPECT_EQ(is_error(o), status != run_status::success) << tool;
      EXPECT_EQ(o.at("content").as_array().size(), 1u);
      EXPECT_EQ(o.at("content").at(0).at("type"), "text");
      EXPECT_FALSE(text_of(o).empty()) << tool;
      EXPECT_TRUE(o.at("structuredContent").is_object());
    }
}

TEST(error_line, tells_class_message_and_position) {
  msg::program_error e;
  e.message = "boom";
  EXPECT_EQ(surface::error_line(e), "boom");
  e.name = "TypeError";
  EXPECT_EQ(surface::error_line(e), "TypeError: boom");
  EXPECT_EQ(surface::position_line(e), "");
  e.line = 3;
  EXPECT_EQ(surface::position_line(e), "\nat line 3");
  e.column = 5;
  EXPECT_EQ(surface::position_line(e), "\nat line 3, column 5");
  e.message = "\xFF";
  EXPECT_TRUE(test::is_valid_utf8(surface::error_line(e)));
}

// ---- shape A -----------------------------------------------------------------------------------

TEST(standard_result, of_output_and_result) {
  auto r = success();
  r.output.head = "hello\n";
  r.has_result = true;
  r.result = test::doc(R"({"a":1})");
  auto o = result("run-typescript-code", r);
  EXPECT_EQ(text_of(o), "hello\n{\"a\":1}");
  EXPECT_EQ(structured(o), object(R"({"success":true,"output":"hello\n","executionTimeMs":12.3,"result":{"a":1}})"));
  r.result = test::doc("\"a text\"");
  EXPECT_EQ(text_of(result("run-typescript-code", r)), "hello\na text");
  EXPECT_EQ(structured(result("run-typescript-code", r)).at("result"), "a text");
}

TEST(standard_result, of_nothing_says_so) {
  auto o = result("run-python-code", success());
  EXPECT_FALSE(text_of(o).empty());
  EXPECT_EQ(structured(o), object(R"({"success":true,"output":"","executionTimeMs":12.3})"))
    << "no fields with nothing in them";
}

TEST(standard_result, of_stderr_comes_behind_stdout_under_its_own_heading) {
  auto r = success();
  r.output.head = "out";
  r.diagnostics.head = "err\n";
  EXPECT_EQ(structured(result("run-python-code", r)).at("output"), "out\n[stderr]\nerr\n");
}

TEST(standard_result, of_a_failure) {
  auto r = failure("TypeError", "x is not a function");
  r.error.line = 3;
  r.error.column = 5;
  r.output.head = "so far\n";
  auto o = result("executeTypescript", r);
  EXPECT_EQ(text_of(o), "so far\nTypeError: x is not a function\nat line 3, column 5");
  EXPECT_EQ(structured(o).at("success"), false);
  EXPECT_EQ(structured(o).at("error"), "TypeError: x is not a function\nat line 3, column 5");
  EXPECT_EQ(structured(o).at("output"), "so far\n");
}

TEST(standard_result, of_tool_calls) {
  auto r = success();
  r.tools = {{"mcp__a__b", 2, 1, 1, 3'000, "no"}, {"mcp__a__c", 1, 1, 0, 500, ""}};
  auto s = structured(result("run-typescript-code", r));
  EXPECT_EQ(s.at("toolCallsMade"), value(R"(["mcp__a__b","mcp__a__c"])"));
  EXPECT_EQ(
    text::to_text(s.at("toolCallSummary")),
    R"([{"toolName":"mcp__a__b","callCount":2,"successCount":1,"errorCount":1,"totalDurationMs":3.0,"averageDurationMs":1.5,"lastErrorMessage":"no"},)"
    R"({"toolName":"mcp__a__c","callCount":1,"successCount":1,"errorCount":0,"totalDurationMs":0.5,"averageDurationMs":0.5}])");
}

TEST(standard_result, of_calls_of_many_made_up_names_is_small) {
  auto r = success();
  for (size_t i = 0; i < msg::limits::tools_counted_max; ++i)
    r.tools.push_back(
      {"mcp__x__" + std::to_string(i) + std::string(150, 'x'), 1, 0, 1, 1'000, std::string(4'000, 'e')});
  r.tools.push_back({msg::other_tools, 9'000, 1, 8'999, 2'000, "no"});
  auto s = structured(result("run-typescript-code", r));
  auto& rows = s.at("toolCallSummary").as_array();
  EXPECT_LT(text::to_text(s).size(), msg::limits::model_text_chars_max + 5'000);
  EXPECT_GT(rows.size(), 10u);
  EXPECT_EQ(rows.back().at("toolName"), msg::other_tools);
  EXPECT_EQ(s.at("toolCallsMade").as_array().size(), rows.size());
  uint64_t calls = 0;
  for (auto& row : rows)
    calls += row.at("callCount").to_number<uint64_t>();
  EXPECT_EQ(calls, 9'000 + msg::limits::tools_counted_max);
}

/// The listed schema, as far as it goes: types of the fields, and which are required.
void expect_valid(const json::object& s) {
  auto list = surface::tool_list({surface::shown_tools::code, surface::result_form::structured, {true, true}});
  auto& schema = list.at("tools").at(0).at("outputSchema").as_object();
  for (auto& name : schema.at("required").as_array())
    EXPECT_TRUE(s.contains(name.as_string())) << text::to_text(name);
  for (auto& [name, field] : s) {
    // Not listed, for the sake of the budget; the schema does not forbid more.
    if (name == "truncated" || name == "session")
      continue;
    ASSERT_TRUE(schema.at("properties").as_object().contains(name)) << name;
    auto* type = schema.at("properties").at(name).as_object().if_contains("type");
    if (!type)
      continue;
    EXPECT_TRUE(*type == "boolean"  ? field.is_bool()
                : *type == "string" ? field.is_string()
                : *type == "number" ? field.is_number()
                                    : field.is_array())
      << name;
  }
}

TEST(standard_result, always_fits_its_schema) {
  for (auto status : {run_status::success, run_status::error, run_status::timeout, run_status::cancelled}) {
    auto r = failure("E", "m");
    r.status = status;
    expect_valid(structured(result("run-typescript-code", r)));
    r.has_result = true;
    r.output.head = std::string(1'000'000, 'x');
    r.diagnostics.head = "\xFF";
    r.tools = {{"mcp__a__b", 1, 0, 1, 1, "e"}};
    r.duration_us = 0;
    expect_valid(structured(result("run-python-code", r)));
    r.sampling = asked();
    expect_valid(structured(result("run-python-code", r)));
  }
  expect_valid(structured(
    surface::refused_run(*surface::find_tool("run-typescript-code"), msg::fault{msg::errc::overloaded, "busy"})));
}

// ---- bounds, for all shapes ----------------------------------------------------------------------

constexpr size_t room = 3 * msg::limits::model_text_chars_max; // output, result, and the JSON around them

TEST(results, are_bounded_and_marked) {
  auto r = success();
  r.output.head = std::string(1'000'000, 'x');
  r.has_result = true;
  r.result = msg::document{json::value(std::string(1'000'000, 'y'))};
  for (auto* tool : {"run-typescript-code", "execute_code", "run_python"})
    EXPECT_LT(text_of(result(tool, r)).size(), room) << tool;
  EXPECT_EQ(structured(result("run-typescript-code", r)).at("truncated"), true);
  EXPECT_FALSE(structured(result("run-typescript-code", success())).contains("truncated"));
}

TEST(results, bound_the_error_of_a_program) { // raise ValueError('x' * 10_000_000)
  auto r = failure("ValueError", std::string(1'000'000, 'x'));
  r.error.stack = "Traceback\n" + std::string(1'000'000, 'y');
  for (auto* tool : {"run-typescript-code", "execute_code", "run_python"})
    EXPECT_LT(text_of(result(tool, r)).size(), room) << tool;
}

TEST(results, bound_the_last_errors_of_tools) {
  auto r = success();
  r.tools = {{"mcp__a__b", 1, 0, 1, 1, std::string(1'000'000, 'e')}};
  EXPECT_LT(text::to_text(result("run-typescript-code", r)).size(), room);
}

TEST(results, are_valid_text_whatever_the_program_printed) {
  auto r = failure("\xC3", "\xFF\xFE");
  r.error.stack = "a\n\xED\xA0\x80";
  r.output.head = "\x80 abc";
  r.diagnostics.head = "\xF0\x9F";
  for (auto* tool : {"run-typescript-code", "execute_code", "run_python"})
    EXPECT_TRUE(test::is_valid_utf8(text::to_text(result(tool, r)))) << tool;
}

// ---- shape B -----------------------------------------------------------------------------------

TEST(structured_result, is_one_json_text_and_the_same_object) {
  auto r = success();
  r.output.head = "a\nb\n";
  r.has_result = true;
  r.result = test::doc("[1]");
  auto o = result("execute_code", r);
  EXPECT_EQ(value(text_of(o)), o.at("structuredContent"));
  EXPECT_EQ(structured(o).at("success"), true);
  EXPECT_EQ(structured(o).at("result"), value("[1]"));
  EXPECT_EQ(structured(o).at("logs"), value(R"(["a","b"])"));
  EXPECT_TRUE(structured(o).at("execution_ms").is_number());
  auto empty = structured(result("execute_code", success()));
  EXPECT_FALSE(empty.contains("result"));
  EXPECT_FALSE(empty.contains("logs"));
  EXPECT_FALSE(empty.contains("error"));
}

TEST(structured_result, of_a_failure) {
  auto r = failure("TypeError", "boom");
  r.output.head = "log\n";
  auto s = structured(result("execute_code", r));
  EXPECT_EQ(s.at("success"), false);
  EXPECT_EQ(s.at("error"), "TypeError: boom");
  EXPECT_EQ(s.at("logs"), value(R"(["log"])"));
  EXPECT_FALSE(s.contains("result"));
}

TEST(structured_result, does_not_join_the_last_line_of_one_stream_with_the_first_of_the_other) {
  auto r = success();
  r.output.head = "printed";
  r.diagnostics.head = "warned\n";
  EXPECT_EQ(structured(result("execute_code", r)).at("logs"), value(R"(["printed","warned"])"));
}

// ---- shape C -----------------------------------------------------------------------------------

TEST(bridge_result, of_output) {
  auto r = success();
  r.output.head = "hi\n";
  EXPECT_EQ(text_of(result("run_python", r)), "hi");
  EXPECT_EQ(structured(result("run_python", r)), object(R"({"stdout":["hi"]})"));
  EXPECT_EQ(text_of(result("run_python", success())), "Success (no output)");
  EXPECT_EQ(structured(result("run_python", success())), object(R"j({"summary":"Success (no output)"})j"));
}

TEST(bridge_result, keeps_every_line) { // where the seed drops blank lines and `()`
  auto r = success();
  r.output.head = "a\n\n  \n()\nb\n";
  EXPECT_EQ(structured(result("run_python", r)).at("stdout"), value(R"j(["a","","  ","()","b"])j"));
  EXPECT_EQ(text_of(result("run_python", r)), "a\n\n  \n()\nb");
}

TEST(bridge_result, of_both_streams) {
  auto r = success();
  r.output.head = "o\n";
  r.diagnostics.head = "e\n";
  EXPECT_EQ(text_of(result("run_python", r)), "o\nstderr:\ne");
  EXPECT_EQ(structured(result("run_python", r)), object(R"({"stdout":["o"],"stderr":["e"]})"));
}

TEST(bridge_result, of_an_exception) {
  auto r = failure("ValueError", "boom");
  r.error.stack = "Traceback (most recent call last):\n  File \"<code>\", line 1\nValueError: boom\n";
  auto o = result("run_python", r);
  // the seed's text, with the exit code that the contract wants to be set
  EXPECT_EQ(text_of(o), "status: error\nexit: 1\nstderr:\n" + r.error.stack.substr(0, r.error.stack.size() - 1));
  auto s = structured(o);
  EXPECT_EQ(s.at("status"), "error");
  EXPECT_EQ(s.at("summary"), "Sandbox error: Sandbox exited with code 1");
  EXPECT_EQ(s.at("error"), "Sandbox exited with code 1");
  EXPECT_EQ(s.at("exitCode").as_int64(), 1);
  EXPECT_EQ(s.at("stderr").as_array().size(), 3u);
}

TEST(bridge_result, of_an_exit) {
  auto r = failure("SystemExit", "3", 3);
  r.output.head = "x\n";
  auto o = result("run_python", r);
  EXPECT_EQ(text_of(o), "status: error\nexit: 3\nx");
  EXPECT_EQ(
    structured(o),
    object(
      R"({"status":"error","summary":"Sandbox error: Sandbox exited with code 3","exitCode":3,"stdout":["x"],"error":"Sandbox exited with code 3"})"));
}

TEST(bridge_result, of_a_timeout) {
  run_report r;
  r.status = run_status::timeout;
  r.error.message = "the run's time is over";
  r.duration_us = 1'002'000;
  auto o = result("run_python", r);
  EXPECT_TRUE(text_of(o).starts_with("status: timeout\n")) << text_of(o);
  EXPECT_TRUE(text_of(o).ends_with("Timeout: execution exceeded 1s\nerror: Execution timed out after 1s"))
    << text_of(o);
  auto s = structured(o);
  EXPECT_EQ(s.at("summary"), "Timeout: execution exceeded 1s");
  EXPECT_EQ(s.at("error"), "Execution timed out after 1s");
  EXPECT_EQ(s.at("timeoutSeconds").to_number<int>(), 1);
  r.output.head = "partial\n";
  EXPECT_EQ(structured(result("run_python", r)).at("stdout"), value(R"(["partial"])"));
  EXPECT_NE(text_of(result("run_python", r)).find("partial"), std::string::npos);
}

TEST(bridge_result, of_a_run_that_did_not_take_place) {
  auto& t = *surface::find_tool("run_python");
  auto o = surface::refused_run(t, msg::fault{msg::errc::invalid_argument, "Missing 'code' argument"});
  EXPECT_EQ(text_of(o), "status: validation_error\nMissing 'code' argument\nerror: Missing 'code' argument");
  EXPECT_EQ(structured(o).at("status"), "validation_error");
  EXPECT_TRUE(is_error(o));
  o = surface::refused_run(t, msg::fault{msg::errc::unknown_server, "Unknown MCP server: nosuch"});
  EXPECT_EQ(text_of(o), "status: error\nSandbox error: Unknown MCP server: nosuch");
  EXPECT_EQ(structured(o).at("error"), "Unknown MCP server: nosuch");
}

TEST(bridge_result, names_the_servers_it_was_given) {
  auto r = success();
  r.output.head = "x\n";
  EXPECT_EQ(structured(result("run_python", r, {"a", "b"})), object(R"({"servers":["a","b"],"stdout":["x"]})"));
}

// ---- TOON: the texts are those of the seed --------------------------------------------------------

TEST(bridge_result, in_toon_is_a_fenced_block_of_the_whole_payload) {
  auto r = success();
  r.output.head = "hello\n";
  auto o = toon("run_python", r, {"stub"});
  EXPECT_EQ(text_of(o),
            "```toon\nstatus: success\nsummary: Success\nexitCode: 0\nservers[1]: stub\nstdout[1]: hello\n```");
  EXPECT_EQ(structured(o),
            object(R"({"status":"success","summary":"Success","exitCode":0,"servers":["stub"],"stdout":["hello"]})"));
  EXPECT_EQ(text_of(toon("run_python", success())),
            "```toon\nstatus: success\nsummary: Success (no output)\nexitCode: 0\n```");
}

TEST(bridge_result, in_toon_quotes_as_the_seed_does) {
  auto r = success();
  r.output.head = "alpha\nbeta, gamma\nk: v\n lead\n5\ntrue\n- dash\nq\"uote\ntab\there\nback\\slash\n[x]\né ü 日本\n";
  EXPECT_NE(
    text_of(toon("run_python", r))
      .find(
        R"(stdout[12]: alpha,"beta, gamma","k: v"," lead","5","true","- dash","q\"uote","tab\there","back\\slash","[x]",é ü 日本)"),
    std::string::npos)
    << text_of(toon("run_python", r));
}

TEST(bridge_result, in_toon_of_failures) {
  auto r = failure("", "");
  r.status = run_status::timeout;
  r.duration_us = 1'004'000;
  r.output.head = "p\n";
  EXPECT_EQ(text_of(toon("run_python", r)),
            "```toon\nstatus: timeout\nsummary: \"Timeout: execution exceeded 1s\"\nexitCode: 1\nstdout[1]: p\n"
            "error: Execution timed out after 1s\ntimeoutSeconds: 1\n```");
  auto& t = *surface::find_tool("run_python");
  auto o = surface::refused_run(t, msg::fault{msg::errc::unknown_server, "Unknown MCP server: nosuch"},
                                surface::output_format::toon);
  EXPECT_EQ(text_of(o), "```toon\nstatus: error\nsummary: \"Sandbox error: Unknown MCP server: nosuch\"\nerror: "
                        "\"Unknown MCP server: nosuch\"\n```");
  EXPECT_TRUE(is_error(o));
}

TEST(toon, is_for_the_value_in_the_text_and_never_for_the_structured_form) {
  auto r = success();
  r.output.head = "printed\n";
  r.has_result = true;
  r.result = test::doc(R"({"users":[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]})");
  auto a = toon("run-typescript-code", r);
  EXPECT_EQ(text_of(a), "printed\nusers[2]{id,name}:\n  1,Ada\n  2,Bob");
  EXPECT_EQ(structured(a), structured(result("run-typescript-code", r)));
  auto b = toon("execute_code", r);
  EXPECT_EQ(text_of(b),
            "success: true\nresult:\n  users[2]{id,name}:\n    1,Ada\n    2,Bob\nlogs[1]: printed\nexecution_ms: 12");
  EXPECT_EQ(structured(b), structured(result("execute_code", r)));
}

TEST(toon, leaves_texts_and_numbers_alone) {
  auto r = success();
  r.has_result = true;
  for (auto* json_text : {"\"a: b\"", "1.5", "true", "{}"}) {
    r.result = test::doc(json_text);
    EXPECT_EQ(text_of(toon("run-python-code", r)), text_of(result("run-python-code", r))) << json_text;
  }
}

TEST(toon, gives_way_to_json_where_it_can_not_be_written) {
  auto r = success();
  r.has_result = true;
  auto deep = json::value(1);
  for (int i = 0; i < 300; ++i)
    deep = json::array(1, std::move(deep));
  r.result = msg::document{deep};
  EXPECT_EQ(text_of(toon("run-python-code", r)), text::to_text(deep));
}

// ---- the others ----------------------------------------------------------------------------------

TEST(refused_run, tells_why_in_every_shape) {
  for (auto* tool : {"run-typescript-code", "execute_code", "run_python"}) {
    auto o = surface::refused_run(*surface::find_tool(tool), msg::fault{msg::errc::overloaded, "too many runs"});
    EXPECT_TRUE(is_error(o)) << tool;
    EXPECT_NE(text_of(o).find("too many runs"), std::string::npos) << tool;
    EXPECT_EQ(structured(o).at("error"), "too many runs") << tool;
  }
}

TEST(document_result, is_one_json_text_and_the_same_object) {
  auto o = surface::document_result(object(R"({"tools":[{"a":1.5}]})"));
  EXPECT_EQ(value(text_of(o)), o.at("structuredContent"));
  EXPECT_FALSE(is_error(o));
}

TEST(error_result, says_what_where_and_what_else) {
  msg::fault f{msg::errc::unknown_tool, "no tool 'x'"};
  f.suggestions = {"y", "z"};
  auto o = surface::error_result(f);
  EXPECT_TRUE(is_error(o));
  EXPECT_EQ(text_of(o), "no tool 'x'");
  EXPECT_EQ(structured(o), object(R"({"error":"no tool 'x'","code":"unknown_tool","suggestions":["y","z"]})"));
  EXPECT_FALSE(structured(surface::error_result(msg::fault{msg::errc::internal, "m"})).contains("suggestions"));
}

} // namespace tools_results_test
