#include "tests/unit/config/edits/edits_fixture.hpp"

#include "text/json_parse.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace config_edits_json_test {

using config::file_format;

const edits::server_place servers{{"mcpServers"}};

std::string put(std::string_view text) { return test::put(file_format::json, text, servers, test::small_entry()); }
std::string removed(std::string_view text, const std::vector<std::string>& names = {"code-executor"}) {
  return test::removed(file_format::json, text, servers, names);
}

/// What is put in with two blanks for each level, below four.
const std::string entry = "\"code-executor\": {\n      \"command\": \"/bin/it\",\n      \"args\": []\n    }";

TEST(json_edit, makes_what_is_absent) {
  auto whole = "{\n  \"mcpServers\": {\n    " + entry + "\n  }\n}";
  EXPECT_EQ(put(""), whole + "\n");
  EXPECT_EQ(put(" \n\n"), whole + "\n");
  EXPECT_EQ(put("{}"), whole);
  EXPECT_EQ(put("{\n}\n"), whole + "\n");
  EXPECT_EQ(put("{\"mcpServers\": {}}"), "{\"mcpServers\": {\n  \"code-executor\": {\n    \"command\": \"/bin/it\",\n"
                                         "    \"args\": []\n  }\n}}");
  EXPECT_EQ(put("{\n  \"a\": 1\n}\n"), "{\n  \"a\": 1,\n  \"mcpServers\": {\n    " + entry + "\n  }\n}\n");
}

TEST(json_edit, keeps_all_else) {
  struct {
    std::string before, after;
  } const cases[] = {
    // comments with braces, a comma behind the last one, tabs
    {"// { \"mcpServers\": {\n{\n  /* } */ \"mcpServers\": { // }\n    \"a\": {\"command\": \"}\"}, // last }\n  "
     "},\n}\n",
     "// { \"mcpServers\": {\n{\n  /* } */ \"mcpServers\": { // }\n    \"a\": {\"command\": \"}\"}, // last }\n    "
       + entry + ",\n  },\n}\n"},
    {"{\n  \"mcpServers\": {\n    \"a\": {} // the last one\n    // and nothing more\n  }\n}",
     "{\n  \"mcpServers\": {\n    \"a\": {}, // the last one\n    " + entry + "\n    // and nothing more\n  }\n}"},
    {"{\n\t\"mcpServers\": {\n\t\t\"a\": {}\n\t}\n}",
     "{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\"code-executor\": {\n\t\t\t\"command\": \"/bin/it\",\n"
     "\t\t\t\"args\": []\n\t\t}\n\t}\n}"},
    {"{\n    \"mcpServers\": {\n        \"a\": {}\n    }\n}",
     "{\n    \"mcpServers\": {\n        \"a\": {},\n        \"code-executor\": {\n            \"command\": "
     "\"/bin/it\",\n"
     "            \"args\": []\n        }\n    }\n}"},
    // one line, its end without a new line
    {"{\"mcpServers\": {\"a\": {}}}",
     "{\"mcpServers\": {\"a\": {}, \"code-executor\": {\"command\": \"/bin/it\", \"args\": []}}}"},
    {"{\"mcpServers\":{\"a\":{},}}",
     "{\"mcpServers\":{\"a\":{}, \"code-executor\": {\"command\": \"/bin/it\", \"args\": []},}}"},
    // nested keys that look alike
    {"{\n  \"projects\": {\"/x\": {\"mcpServers\": {\"b\": {}}}},\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}",
     "{\n  \"projects\": {\"/x\": {\"mcpServers\": {\"b\": {}}}},\n  \"mcpServers\": {\n    \"a\": {},\n    " + entry
       + "\n  }\n}"},
    {"{\n  \"a\": \"\\\"mcpServers\\\": {\",\n  \"mcp\\u0053ervers\": {\n    // none\n  }\n}",
     "{\n  \"a\": \"\\\"mcpServers\\\": {\",\n  \"mcp\\u0053ervers\": {\n    // none\n    " + entry + "\n  }\n}"},
    // a key that is there twice: the last one counts
    {"{\n  \"mcpServers\": {\"old\": {}},\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}",
     "{\n  \"mcpServers\": {\"old\": {}},\n  \"mcpServers\": {\n    \"a\": {},\n    " + entry + "\n  }\n}"},
  };
  for (auto& c : cases) {
    EXPECT_EQ(put(c.before), c.after);
    EXPECT_EQ(put(c.after), c.after) << "the second time";
    EXPECT_EQ(removed(c.after), c.before);
    EXPECT_EQ(removed(c.before), c.before);
  }
}

TEST(json_edit, a_bracket_may_follow_in_the_line) {
  EXPECT_EQ(put("{\n  \"mcpServers\": {\n    \"a\": {}}\n}"),
            "{\n  \"mcpServers\": {\n    \"a\": {},\n    " + entry + "}\n}");
}

TEST(json_edit, ends_lines_as_the_file_does) {
  EXPECT_EQ(
    put("{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n"),
    "{\r\n  \"mcpServers\": {\r\n    \"a\": {},\r\n    \"code-executor\": {\r\n      \"command\": \"/bin/it\",\r\n"
    "      \"args\": []\r\n    }\r\n  }\r\n}\r\n");
}

TEST(json_edit, sets_what_differs_in_an_entry) {
  EXPECT_EQ(
    put("{\n  \"mcpServers\": {\n    \"code-executor\": {\n      // mine\n      \"command\": \"/old\", // here\n"
        "      \"env\": {\"A\": \"1\"}\n    }\n  }\n}"),
    "{\n  \"mcpServers\": {\n    \"code-executor\": {\n      // mine\n      \"command\": \"/bin/it\", // here\n"
    "      \"env\": {\"A\": \"1\"},\n      \"args\": []\n    }\n  }\n}");
  EXPECT_EQ(put("{\"mcpServers\": {\"code-executor\": {\"command\": \"x\", \"args\": [1, {\"a\": 2}]}}}"),
            "{\"mcpServers\": {\"code-executor\": {\"command\": \"/bin/it\", \"args\": []}}}");
  EXPECT_EQ(put("{\"mcpServers\": {\"code-executor\": null}}"),
            "{\"mcpServers\": {\"code-executor\": {\"command\": \"/bin/it\", \"args\": []}}}");
}

TEST(json_edit, removes) {
  struct {
    std::string before, after;
  } const cases[] = {
    {"{\"mcpServers\": {\"code-executor\": {}, \"b\": 1}}", "{\"mcpServers\": {\"b\": 1}}"},
    {"{\"mcpServers\": {\"a\": 1, \"code-executor\": {}, \"b\": 1}}", "{\"mcpServers\": {\"a\": 1, \"b\": 1}}"},
    {"{\"mcpServers\": {\"a\": 1, \"code-executor\": {}}}", "{\"mcpServers\": {\"a\": 1}}"},
    {"{\"mcpServers\": {\"code-executor\": {}}}", "{\"mcpServers\": {}}"},
    {"{\"mcpServers\": {\n  \"code-executor\": {}, // ours\n  \"b\": 1\n}}",
     "{\"mcpServers\": {\n  // ours\n  \"b\": 1\n}}"},
    {"{\"mcpServers\": {\n  \"a\": 1, // a\n  \"code-executor\": {}\n  // end\n}}",
     "{\"mcpServers\": {\n  \"a\": 1 // a\n  // end\n}}"},
    {"{\"mcpServers\": {\"code-executor\": 1, \"a\": 2, \"code-executor\": {}}}", "{\"mcpServers\": {\"a\": 2}}"},
    {"{\"mcpServers\": {\n// x\n\"code-executor\": {}}}", "{\"mcpServers\": {\n// x\n}}"},
    {"{\"mcpServers\": [1]}", "{\"mcpServers\": [1]}"},
    {"", ""},
  };
  for (auto& c : cases)
    EXPECT_EQ(removed(c.before), c.after);
  EXPECT_EQ(removed("{\"mcpServers\": {\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}}", {"c", "a", "x"}),
            "{\"mcpServers\": {\n  \"b\": 2\n}}");
  EXPECT_EQ(removed("{\"mcpServers\": {\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}}", {"a", "b", "d"}),
            "{\"mcpServers\": {\"c\": 3}}");
  EXPECT_EQ(removed("{\"mcpServers\": {\"a\": 1, \"b\": 2, \"c\": 3}}", {"b", "c"}), "{\"mcpServers\": {\"a\": 1}}");
  EXPECT_EQ(removed("{\"mcpServers\": {\"a\": 1, /* x */ \"b\": 2}}", {"a", "b"}), "{\"mcpServers\": { /* x */ }}");
  EXPECT_EQ(removed("{\"mcpServers\": {\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}}", {"a", "b"}), "{\"mcpServers\": {}}");
}

TEST(json_edit, says_where_it_can_not) {
  EXPECT_EQ(put("{\"mcpServers\": [1]}"), "fault: line 1, column 16: 'mcpServers' must be an object");
  EXPECT_EQ(put("[]"), "fault: line 1, column 1: it must be an object");
  EXPECT_EQ(put("{\n  \"mcpServers\": {\n"), "fault: line 3, column 1: incomplete JSON");
}

TEST(json_edit, tells_what_was_put_where) {
  auto done = edits::put_entry(file_format::json, "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}", servers,
                               "code-executor", test::small_entry());
  ASSERT_TRUE(done.ok());
  ASSERT_EQ(done.value.put.size(), 2U);
  EXPECT_EQ(done.value.put[0].text, ",");
  EXPECT_EQ(done.value.put[1].line, 4U);
  EXPECT_EQ(done.value.put[1].text, entry);
}

TEST(json_edit, dotted_and_nested_containers) {
  auto amp = test::put(file_format::json, "{\n  \"amp.x\": 1\n}\n", {{"amp.mcpServers"}}, test::small_entry());
  EXPECT_EQ(amp, "{\n  \"amp.x\": 1,\n  \"amp.mcpServers\": {\n    " + entry + "\n  }\n}\n");
  auto code = test::put(file_format::json, "{\"mcp\": {\"inputs\": []}}", {{"mcp", "servers"}}, test::small_entry());
  EXPECT_EQ(code,
            "{\"mcp\": {\"inputs\": [], \"servers\": {\"code-executor\": {\"command\": \"/bin/it\", \"args\": []}}}}");
}

TEST(json_edit, large_files_take_no_time) {
  std::string text = "{\n  \"mcpServers\": {\n";
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back("server-" + std::to_string(i));
    text += "    \"" + names.back() + "\": {\"command\": \"a\", \"args\": [\"b\", \"c\"]}, // one\n";
  }
  text += "  },\n  \"history\": [\n";
  while (text.size() < 1'000'000)
    text += "    {\"display\": \"{ \\\"mcpServers\\\": [ \", \"pasted\": {}}, // and so on\n";
  text += "  ]\n}\n";
  auto begin = std::chrono::steady_clock::now();
  names.resize(50);
  auto without = removed(put(text), names);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10});
  EXPECT_EQ(without.find("\"server-49\""), without.npos);
  EXPECT_NE(without.find("\"server-50\""), without.npos);
}

} // namespace config_edits_json_test
