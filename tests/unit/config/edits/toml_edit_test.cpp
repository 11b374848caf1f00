#include "tests/unit/config/edits/edits_fixture.hpp"

#include <gtest/gtest.h>

namespace config_edits_toml_test {

using config::file_format;
using edits::entry_list;

const edits::server_place tables{{"mcp_servers"}};
const edits::server_place items{{"mcp_servers"}, entry_list::items};

std::string put(std::string_view text) { return test::put(file_format::toml, text, tables, test::small_entry()); }
std::string put_item(std::string_view text) { return test::put(file_format::toml, text, items, test::named_entry()); }
std::string removed(std::string_view text, const edits::server_place& from = tables) {
  return test::removed(file_format::toml, text, from);
}

const std::string table = "[mcp_servers.code-executor]\ncommand = \"/bin/it\"\nargs = []\n";
const std::string item = "[[mcp_servers]]\nname = \"code-executor\"\ncommand = \"/bin/it\"\nargs = [\"-x\"]\n";

TEST(toml_edit, keeps_all_else) {
  std::string const cases[] = {
    "",
    "model = 'x' # [mcp_servers.code-executor]\n",
    "a = '''\n[mcp_servers.code-executor]\n'''\nb = [\n  1, # ]\n  2,\n]\n",
    "[mcp_servers.\"a b\"]\ncommand = 'x'\n\n[mcp_servers.\"a b\".env]\nA = '1'\n\n# the end\n",
    "[mcp_servers]\na = {command = 'x'}\nb.command = 'y'\n",
  };
  for (auto& before : cases) {
    auto after = before + (before.empty() ? "" : "\n") + table;
    EXPECT_EQ(put(before), after);
    EXPECT_EQ(put(after), after) << "the second time";
    EXPECT_EQ(removed(after), before);
    EXPECT_EQ(removed(before), before);
    if (before.find("[mcp_servers") != 0) {
      EXPECT_EQ(put_item(before), before + (before.empty() ? "" : "\n") + item);
      EXPECT_EQ(removed(put_item(before), items), before);
    }
  }
  EXPECT_EQ(put("a = 1"), "a = 1\n\n" + table);
  EXPECT_EQ(put("a = 1\r\n"), "a = 1\r\n\r\n[mcp_servers.code-executor]\r\ncommand = \"/bin/it\"\r\nargs = []\r\n");
}

TEST(toml_edit, sets_what_differs_in_a_table) {
  EXPECT_EQ(
    put("[mcp_servers.code-executor]\ncommand = '/old' # here\nenabled = true\n\n[mcp_servers.code-executor.env]\nA "
        "= '1'\n[other]\n"),
    "[mcp_servers.code-executor]\ncommand = \"/bin/it\" # here\nenabled = true\nargs = []\n\n"
    "[mcp_servers.code-executor.env]\nA = '1'\n[other]\n");
  EXPECT_EQ(put("[mcp_servers.code-executor]\nargs = [ # these\n  'a',\n]\ncommand = '/bin/it'"),
            "[mcp_servers.code-executor]\nargs = []\ncommand = '/bin/it'");
  auto before =
    "[[mcp_servers]]\nname = 'a'\ncommand = 'x'\n[[mcp_servers]]\nname = 'code-executor'\ncommand = 'x'\n[mcp_"
    "servers.env]\nA = 1\n[[mcp_servers]]\nname = 'z'\n";
  EXPECT_EQ(
    put_item(before),
    "[[mcp_servers]]\nname = 'a'\ncommand = 'x'\n[[mcp_servers]]\nname = 'code-executor'\ncommand = \"/bin/it\"\n"
    "args = [\"-x\"]\n[mcp_servers.env]\nA = 1\n[[mcp_servers]]\nname = 'z'\n");
  EXPECT_EQ(removed(before, items), "[[mcp_servers]]\nname = 'a'\ncommand = 'x'\n[[mcp_servers]]\nname = 'z'\n");
}

TEST(toml_edit, removes) {
  EXPECT_EQ(removed("[mcp_servers.code-executor]\ncommand = 'x'\n# of the other\n[mcp_servers.b]\ncommand = 'y'\n"
                    "[mcp_servers.code-executor.env]\nA = '1'\n[mcp_servers.code-executor2]\n"),
            "# of the other\n[mcp_servers.b]\ncommand = 'y'\n[mcp_servers.code-executor2]\n");
  EXPECT_EQ(removed("[mcp_servers]\ncode-executor = {command = 'x'}\na.command = 'y'\n"),
            "[mcp_servers]\na.command = 'y'\n");
  EXPECT_EQ(removed("mcp_servers.code-executor.command = 'x'\nmcp_servers.a.command = 'y'\n"),
            "mcp_servers.a.command = 'y'\n");
}

TEST(toml_edit, changes_what_stands_in_brackets) {
  auto entry = std::string{R"(code-executor = {command = "/bin/it", args = []})"};
  const std::string cases[][2] = {
    {"mcp_servers = {}\n", "mcp_servers = {" + entry + "}\n"},
    {"mcp_servers = {a = {command = '}'}} # c\nb = 1\n",
     "mcp_servers = {a = {command = '}'}, " + entry + "} # c\nb = 1\n"},
    {R"(mcp_servers = { a = {x = [1, {y = "]\""}]}, 'b.c'.d = """}""" })",
     R"(mcp_servers = { a = {x = [1, {y = "]\""}]}, 'b.c'.d = """}""", )" + entry + " }"},
  };
  for (auto& [before, after] : cases) {
    EXPECT_EQ(put(before), after);
    EXPECT_EQ(put(after), after) << "the second time";
    EXPECT_EQ(removed(after), before);
  }
  EXPECT_EQ(removed("mcp_servers = {code-executor = {command = 'x'}, a = {}}\n"), "mcp_servers = {a = {}}\n");
  EXPECT_EQ(put("[mcp_servers]\ncode-executor = {command = 'x', env = {A = '1'}} # c\n"),
            "[mcp_servers]\ncode-executor = {command = \"/bin/it\", env = {A = '1'}, args = []} # c\n");
}

TEST(toml_edit, changes_lists_in_brackets) {
  auto entry = std::string{R"({name = "code-executor", command = "/bin/it", args = ["-x"]})"};
  const std::string cases[][2] = {
    {"mcp_servers = []\n", "mcp_servers = [" + entry + "]\n"},
    {"mcp_servers = [{name = 'a'}]\n", "mcp_servers = [{name = 'a'}, " + entry + "]\n"},
    {"mcp_servers = [\n  {name = 'a'}, # ]\n  {name = 'b'}, # b\n]\n",
     "mcp_servers = [\n  {name = 'a'}, # ]\n  {name = 'b'}, # b\n  " + entry + ",\n]\n"},
    {"mcp_servers = [\n  {name = 'a'} # a\n]\n", "mcp_servers = [\n  {name = 'a'}, # a\n  " + entry + "\n]\n"},
    {"mcp_servers = [\r\n\t{name = 'a'},\r\n]\r\n", "mcp_servers = [\r\n\t{name = 'a'},\r\n\t" + entry + ",\r\n]\r\n"},
  };
  for (auto& [before, after] : cases) {
    EXPECT_EQ(put_item(before), after);
    EXPECT_EQ(put_item(after), after) << "the second time";
    EXPECT_EQ(removed(after, items), before);
  }
  EXPECT_EQ(put_item("mcp_servers = [{name = 'a'}, {name = 'code-executor', command = 'x'}]\n"),
            "mcp_servers = [{name = 'a'}, {name = 'code-executor', command = \"/bin/it\", args = [\"-x\"]}]\n");
  EXPECT_EQ(removed("mcp_servers = [{name = 'code-executor'}, {name = 'a'}, {name = 'code-executor'}]\n", items),
            "mcp_servers = [{name = 'a'}]\n");
}

TEST(toml_edit, refuses_what_it_can_not_change) {
  auto by_hand =
    "fault: the entry 'code-executor' can not be changed in the way in which the file is written; it has to "
    "be done by hand";
  EXPECT_EQ(put("mcp_servers = 5\n"), by_hand);
  EXPECT_EQ(removed("mcp_servers = {code-executor.command = 'x', code-executor.args = []}\n"), by_hand);
  EXPECT_TRUE(put("[a\n").starts_with("fault: line 1, column 3: ")) << put("[a\n");
}

} // namespace config_edits_toml_test
