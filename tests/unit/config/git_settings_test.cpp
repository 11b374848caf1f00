#include "config/git_settings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace config_git_settings_test {

using namespace std::string_literals;
using strings = std::vector<std::string>;

/// As `git config -f FILE --get-all core.hooksPath` says them.
strings hooks_in(std::string_view text) {
  strings out;
  for (auto& s : config::read_git_settings(text))
    if (s.section == "core" && s.name == "hookspath")
      out.push_back(s.value);
  return out;
}

TEST(git_settings, of_parts_have_their_names) {
  auto all = config::read_git_settings("[a \"x\\\"y\\\\z\"]\nb=1\n[A.Part]\nb=2\n[a]\nb=3\n");
  strings parts;
  for (auto& s : all)
    parts.push_back(s.section + ":" + s.part);
  EXPECT_EQ(parts, (strings{"a:x\"y\\z", "a:Part", "a:"}));
}

/// All of these with their answers were given to git 2.39.5.
TEST(git_settings, are_read_as_git_reads_them) {
  struct {
    std::string text, value;
  } const cases[] = {
    {"[core]\nhooksPath = h", "h"},
    {"[core]\n# x \\\nhooksPath = h\n", "h"},
    {"[core]\n; x \\\nhooksPath = h\n", "h"},
    {"#\\\n#\\\\\n[core]#\\\nhooksPath=h#\\\n", "h"},
    {"[core]\n a = x # y \\\nhooksPath = h\n", "h"},
    {"[core]\n a = x\\\\\nhooksPath = h\n", "h"},
    {"[core]\n a = \"x # y\" \\\nhooksPath = h\n hooksPath = i\n", "i"},
    {"[core]\na = \"x\\\nhooksPath = h\"\nhooksPath = i\n", "i"},
    {"\xEF\xBB\xBF[core]\nhooksPath = h\n", "h"},
    {"[core]\nhooksPath=\xEF\xBB\xBFh\n", "\xEF\xBB\xBFh"},
    {"[core] # \\\nhooksPath = h\n", "h"},
    {"[core]#[x]\nhooksPath=h\n", "h"},
    {"[core]\r\nhooksPath = h\r\n", "h"},
    {"[core]\r\n a = x\\\r\n y\r\nhooksPath = h\r\n", "h"},
    {"[core]\rhooksPath = h\r", "h"},
    {"[CORE] HooksPath = h\n", "h"},
    {"[a][core]hooksPath=h\n", "h"},
    {"[alias \"x]y\"] a=b\n[core]hooksPath=h", "h"},
    {"[a \"]\"] b = c\n[core]\nhooksPath = h\n", "h"},
    {"[a \"\\\"]\"] b = c\n[core]\nhooksPath = h\n", "h"},
    {"[a\t\"b\"]\nc=d\n[core]hooksPath=h\n", "h"},
    {"[co-re.1]\na=b\n[core]\nhooksPath=h\n", "h"},
    {"[core]\na = [x]\nhooksPath = h\n", "h"},
    {"[core]\nhooksPath = \\\n  h\n", "h"},
    {"[core]\nhooksPath = h\\\n#x\n", "h"},
    {"[core]\nhooksPath=h\\", "h"},
    {"[core]\nhooksPath=h\\\r\n  i\n", "h  i"},
    {"[core]\nhooksPath = a\\tb\\nc\\bd\\\"e\\\\f\n", "a\tb\nc\bd\"e\\f"},
    {"[core]\nhooksPath =   a   b   ; c\n", "a   b"},
    {"[core]\nhooksPath =  \" a \" \n", " a "},
    {"[core]\nhooksPath =  a\" \" #x\n", "a "},
    {"[core]\nhooksPath = \"a;b\"c#d\n", "a;bc"},
    {"[core]\nhooksPath = a\0b\n"s, "a"},
    {"[core]\nx = y\0\nhooksPath = h\n"s, "h"},
    {"[core]\nhooksPath\n", ""},
    {"[core]\nhooksPath=\xA0h\xA0\n", "\xA0h\xA0"},
  };
  for (auto& c : cases)
    EXPECT_EQ(hooks_in(c.text), strings{c.value}) << c.text;
  for (auto* none : {"[core]\n a = x\\\\\\\nhooksPath = h\n", "[core]\n a = x\\\nhooksPath = h\n",
                     "[x]\nhooksPath = h\n", "hooksPath = h\n", ""})
    EXPECT_EQ(hooks_in(none), strings{}) << none;
}

/// git says `fatal: bad config line`, and runs nothing: what is behind such a line is looked at nevertheless.
TEST(git_settings, lines_that_git_refuses_are_skipped) {
  for (auto* line : {"= x", "1a = b", "a_b = c", "a \\", "a = \\q", "a = \"x", "a # x", "\x0C", "\xEF\xBB\xBF", "[x",
                     "[ x]", "[x ]", "[x \"y", "[x \"y\\", "[x \"y\"", "[x]\\", "[", "\""})
    for (auto* end : {"\n", "\r\n"})
      EXPECT_EQ(hooks_in(line + ""s + end + "[core]" + end + "hooksPath = h"), strings{"h"}) << line;
  EXPECT_EQ(hooks_in("\xEF\xBB\xBF\xEF\xBB\xBF[core]\nhooksPath = h\n"), strings{});
}

TEST(git_settings, what_versions_of_git_read_differently_is_there_in_both_ways) {
  EXPECT_EQ(hooks_in("[core]\nhooksPath = a\tb  c\t\n"), (strings{"a b  c", "a\tb  c"}));
  EXPECT_EQ(hooks_in("[core]\nhooksPath = \"a\tb\"\n"), strings{"a\tb"});
}

} // namespace config_git_settings_test
