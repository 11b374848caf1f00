// The words of a line that its author wrote for a shell, as far as they can be told by reading it. Nothing is run or
// looked up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Words between spaces, with quotes and backslashes as people write them in a configuration. A text that is longer
/// than any argument (argument_bytes_max) is one word.
std::vector<std::string> split_words(std::string_view text);

/// Of a text for a shell, whatever is in it: what quotes hold together, or an escape, is in one word, and all blanks
/// and operators outside of them end one. Comments are left out. A text that is too long is one word, as above.
std::vector<std::string> split_script(std::string_view text);

/// What stands for a word that can not be told by reading: it holds a variable, a pattern, or what a command prints. No
/// real word holds a NUL.
inline constexpr std::string_view unread_word{"\0", 1};

struct shell_script {
  /// One after the other, each with its words, assignments before it included. Redirections of what is printed are left
  /// out.
  std::vector<std::vector<std::string>> commands;
};

/// A script that is nothing but commands in a row: between `&&`, `;` and ends of lines, with quotes, `~/` and `$HOME`
/// (which are `home`), comments. None: there is more in it (pipes, alternatives, parentheses, jobs, input), or it is
/// too long.
std::optional<shell_script> read_script(std::string_view script, std::string_view home);

} // namespace config
