// A text for a shell, taken apart whatever is in it: pipes, alternatives, blocks, and what a command prints into
// another one. Nothing is run or looked up.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// A text in a text, and so on; what is deeper leaves a doubt.
inline constexpr size_t nested_texts_max = 8;
/// Of one text with all that is in it.
inline constexpr size_t text_words_max = 4'000;

/// What is known of what a text refers to.
struct text_scope {
  std::string home;
  std::string top; ///< what `git rev-parse --show-toplevel` prints; empty: not known
  std::map<std::string, std::string> variables;
};

/// The folder that the command is started in is `$PWD` in it, however it was written.
struct text_word {
  std::string text;        ///< without quotes; what is not known is left out
  bool is_unknown = false; ///< it holds a variable, a pattern, or what a command prints, that is not known
  std::string printed_by;  ///< a program: the whole word is what that prints
};

struct text_command {
  std::vector<text_word> words;  ///< assignments and words of the shell (`if`, `{`) before it included
  std::vector<text_word> inputs; ///< files that it reads, and texts (`<<< TEXT`)
  bool is_behind_pipe = false;
};

struct shell_text {
  std::vector<text_command> commands; ///< also those whose output is a part of a word
  std::string doubt;                  ///< what could not be taken apart; empty: nothing
};

shell_text read_shell_text(std::string_view text, const text_scope& scope);

/// `NAME=...`: NAME. Empty: it is no assignment.
std::string_view assigned_in(std::string_view word);

} // namespace config
