#include "tests/unit/config/edits/edits_fixture.hpp"

#include <gtest/gtest.h>

namespace config_edits_yaml_test {

using config::file_format;
using edits::entry_list;

const edits::server_place members{{"extensions"}};
const edits::server_place items{{"mcpServers"}, entry_list::items};

std::string put(std::string_view text) { return test::put(file_format::yaml, text, members, test::small_entry()); }
std::string put_item(std::string_view text) { return test::put(file_format::yaml, text, items, test::named_entry()); }
std::string removed(std::string_view text) { return test::removed(file_format::yaml, text, members); }
std::string item_removed(std::string_view text) { return test::removed(file_format::yaml, text, items); }

const std::string entry = "  code-executor:\n    command: /bin/it\n    args: []\n";
const std::string item = "  - name: code-executor\n    command: /bin/it\n    args: [\"-x\"]\n";

TEST(yaml_edit, keeps_all_else) {
  struct {
    std::string before, after;
  } const cases[] = {
    {"extensions:\n  a: # }\n    cmd: x\n    # more of a\n\n# the end\n",
     "extensions:\n  a: # }\n    cmd: x\n" + entry + "    # more of a\n\n# the end\n"},
    {"a: 1\nextensions:\n  a:\n    note: |\n      extensions:\n        code-executor: 1\nb: 2\n",
     "a: 1\nextensions:\n  a:\n    note: |\n      extensions:\n        code-executor: 1\n" + entry + "b: 2\n"},
    {"extensions:\n  a: {cmd: x}\n  é: {cmd: ü}\n...\n",
     "extensions:\n  a: {cmd: x}\n  é: {cmd: ü}\n" + entry + "...\n"},
    {"x: {extensions: {a: 1}}\nextensions: {a: {cmd: x}} # flow\n",
     "x: {extensions: {a: 1}}\nextensions: {a: {cmd: x}, \"code-executor\": {\"command\": \"/bin/it\", \"args\": []}} "
     "# flow\n"},
  };
  for (auto& c : cases) {
    EXPECT_EQ(put(c.before), c.after);
    EXPECT_EQ(put(c.after), c.after) << "the second time";
    EXPECT_EQ(removed(c.after), c.before);
    EXPECT_EQ(removed(c.before), c.before);
  }
}

TEST(yaml_edit, lists) {
  struct {
    std::string before, after;
  } const cases[] = {
    {"name: x\nmcpServers:\n  - name: a\n    command: b\nrules: []\n",
     "name: x\nmcpServers:\n  - name: a\n    command: b\n" + item + "rules: []\n"},
    {"mcpServers:\n- command: b\n  name: a\nrules: []\n",
     "mcpServers:\n- command: b\n  name: a\n- name: code-executor\n  command: /bin/it\n  args: [\"-x\"]\nrules: []\n"},
    {"mcpServers: [{name: a}]\n",
     "mcpServers: [{name: a}, {\"name\": \"code-executor\", \"command\": \"/bin/it\", \"args\": [\"-x\"]}]\n"},
    {"mcpServers: [] # none\nb: 1\n", "mcpServers: # none\n" + item + "b: 1\n"},
  };
  for (auto& c : cases) {
    EXPECT_EQ(put_item(c.before), c.after);
    EXPECT_EQ(put_item(c.after), c.after) << "the second time";
    EXPECT_EQ(item_removed(c.after), c.before);
  }
}

TEST(yaml_edit, makes_what_is_absent) {
  EXPECT_EQ(put(""), "extensions:\n" + entry);
  EXPECT_EQ(put("# comments alone"), "# comments alone\nextensions:\n" + entry);
  EXPECT_EQ(put("a: 1"), "a: 1\nextensions:\n" + entry);
  EXPECT_EQ(put("extensions:\nb: 1\n"), "extensions:\n" + entry + "b: 1\n");
  EXPECT_EQ(put("extensions:"), "extensions:\n" + entry);
  EXPECT_EQ(put("extensions: {}\r\nb: 1\r\n"),
            "extensions:\r\n  code-executor:\r\n    command: /bin/it\r\n    args: []\r\nb: 1\r\n");
  EXPECT_EQ(put("{a: 1}"), "{a: 1, \"extensions\": {\"code-executor\": {\"command\": \"/bin/it\", \"args\": []}}}");
  EXPECT_EQ(put_item("--- # one\na: 1\n"), "--- # one\na: 1\nmcpServers:\n" + item);
}

TEST(yaml_edit, sets_what_differs_in_an_entry) {
  EXPECT_EQ(put("extensions:\n  code-executor:\n    command: /old # here\n    envs:\n      A: '1'\n  b:\n    cmd: x\n"),
            "extensions:\n  code-executor:\n    command: \"/bin/it\" # here\n    envs:\n      A: '1'\n    args: []\n  "
            "b:\n    cmd: x\n");
  EXPECT_EQ(put("extensions:\n  code-executor:\n    args:\n    - a\n    - b\n    command:\nb: 1\n"),
            "extensions:\n  code-executor:\n    args: []\n    command: \"/bin/it\"\nb: 1\n");
  EXPECT_EQ(put_item("mcpServers:\n  - name: 'code-executor'\n    command: >\n      x\n    args: [\"-x\"]\n"),
            "mcpServers:\n  - name: 'code-executor'\n    command: \"/bin/it\"\n    args: [\"-x\"]\n");
}

TEST(yaml_edit, removes) {
  EXPECT_EQ(removed("extensions:\n  code-executor:\n    cmd: x\n  b:\n    cmd: y\n"),
            "extensions:\n  b:\n    cmd: y\n");
  EXPECT_EQ(removed("extensions: # mine\n  code-executor:\n    cmd: x\nb: 1\n"), "extensions: {} # mine\nb: 1\n");
  EXPECT_EQ(item_removed("mcpServers:\n  -\n    name: code-executor\n    command: x\n  - name: b\n"),
            "mcpServers:\n  - name: b\n");
  EXPECT_EQ(item_removed("mcpServers: [{name: code-executor}, {name: b}]\n"), "mcpServers: [{name: b}]\n");
  EXPECT_EQ(item_removed("mcpServers: [{name: code-executor}]\n"), "mcpServers: []\n");
}

TEST(yaml_edit, refuses_what_it_can_not_change) {
  EXPECT_EQ(put("extensions: [a]\n"), "fault: line 1, column 13: 'extensions' must be an object");
  EXPECT_EQ(put("- a\n"), "fault: line 1, column 1: it must be an object");
  EXPECT_EQ(put("a: [1\n").substr(0, 19), "fault: line 2, colu");
  EXPECT_EQ(
    removed("extensions:\n  code-executor: &x\n    cmd: x\n  b: *x\n"),
    "fault: the entry 'code-executor' can not be changed in the way in which the file is written; it has to be done "
    "by hand");
}

} // namespace config_edits_yaml_test
