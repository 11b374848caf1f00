#include "config/shell_words.hpp"

#include "messages/limits.hpp"

#include <gtest/gtest.h>

namespace config_shell_words_test {

using words = std::vector<std::string>;

const std::string unread{config::unread_word};

/// Of a script that can be read.
std::vector<words> commands(std::string_view script) {
  auto read = config::read_script(script, "/home/u");
  EXPECT_TRUE(read) << script;
  return read ? read->commands : std::vector<words>{};
}

TEST(shell_words, a_line_of_words) {
  EXPECT_EQ(config::split_words("  npx  -y 'a b' c\\ d \"e 'f'\"g \\"),
            (words{"npx", "-y", "a b", "c d", "e 'f'g", "\\"}));
  EXPECT_EQ(config::split_words("say 'no end"), (words{"say", "no end"}));
  EXPECT_EQ(config::split_words(" "), words{});
  std::string long_text(msg::limits::argument_bytes_max + 1, ' ');
  EXPECT_EQ(config::split_words(long_text), words{long_text}) << "it is not looked into";
}

TEST(shell_words, of_a_script_that_is_not_read_what_quotes_hold_together) {
  EXPECT_EQ(config::split_script("set -e\npython3 \"my srv.py\"&&exit 0\n"),
            (words{"set", "-e", "python3", "my srv.py", "exit", "0"}));
  for (auto* end : {"\t", "\r\n", ";", "|", "||", "<", ">", "(", ")", "&", " "})
    EXPECT_EQ(config::split_script(std::string{"'a b'"} + end + "c\\ d"), (words{"a b", "c d"})) << end;
  EXPECT_EQ(config::split_script("bash $'a b' x$\"c d\" 'e\\'f \"g\\\"h;\" i\\\nj k\\;l"),
            (words{"bash", "a b", "xc d", "e\\f", "g\"h;", "ij", "k;l"}));
  EXPECT_EQ(config::split_script("a # don't\n'b c' d#e 'no end"), (words{"a", "b c", "d#e", "no end"}));
  EXPECT_EQ(config::split_script(" ;\n"), words{});
  std::string long_text(msg::limits::argument_bytes_max + 1, ';');
  EXPECT_EQ(config::split_script(long_text), words{long_text});
}

TEST(shell_words, quotes_and_what_stands_for_home) {
  EXPECT_EQ(commands("run 'a b' \"c \\\" \\x\" d\\ e ''"), (std::vector<words>{{"run", "a b", "c \" \\x", "d e", ""}}));
  EXPECT_EQ(commands("~/bin/x $HOME/y \"${HOME}/z\" '$HOME' a~/b"),
            (std::vector<words>{{"/home/u/bin/x", "/home/u/y", "/home/u/z", "$HOME", "a~/b"}}));
  EXPECT_EQ(commands("a\\\nb # c"), (std::vector<words>{{"ab"}}))
    << "a line goes on behind a backslash, and ends with a comment";
  EXPECT_EQ(commands("a#b"), (std::vector<words>{{"a#b"}}));
}

TEST(shell_words, commands_in_a_row) {
  EXPECT_EQ(commands("cd /x && A=b exec run -x; \n # why\n last\n"),
            (std::vector<words>{{"cd", "/x"}, {"A=b", "exec", "run", "-x"}, {"last"}}));
  EXPECT_EQ(commands(" \n"), std::vector<words>{});
}

TEST(shell_words, what_is_printed_may_go_elsewhere) {
  EXPECT_EQ(commands("exec run 2>>/tmp/log arg 2>&1 >'a b'"), (std::vector<words>{{"exec", "run", "arg"}}));
  EXPECT_EQ(commands("run 2 >x"), (std::vector<words>{{"run", "2"}}));
}

TEST(shell_words, words_that_can_not_be_told) {
  EXPECT_EQ(commands("$RUN a$B \"c $D\" `e` *.f [g] {h,i} $HOMEPAGE \"$@\" k"),
            (std::vector<words>{{unread, unread, unread, unread, unread, unread, unread, unread, unread, "k"}}));
  EXPECT_EQ(commands(std::string_view{"a\0b", 3}), (std::vector<words>{{unread}}));
}

TEST(shell_words, more_than_commands_in_a_row_is_not_read) {
  for (auto* script : {"a | b", "a || b", "a & b", "(a)", "a $(b)", "a <b", "a << E\nE\n", "f() { a; }", "a >",
                       "a 2> ; b", "'a", "\"a", "a &> b"})
    EXPECT_FALSE(config::read_script(script, "/home/u")) << script;
  EXPECT_FALSE(config::read_script(std::string(msg::limits::argument_bytes_max + 1, 'a'), "/home/u"));
  std::string many;
  for (int i = 0; i < 2'000; ++i)
    many += "a ";
  EXPECT_FALSE(config::read_script(many, "/home/u"));
}

TEST(shell_words, without_a_home_nothing_stands_for_it) {
  auto read = config::read_script("~/x $HOME", "");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->commands, (std::vector<words>{{"~/x", unread}}));
}

} // namespace config_shell_words_test
