// What the programs in a text for a shell do with their words, as far as it decides what is started.
#pragma once

#include "config/shell_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// In front of the program of a command.
inline constexpr std::string_view words_before_program[] = {"if", "then", "else", "elif", "while",   "until",  "do",
                                                            "!",  "{",    "time", "exec", "command", "builtin"};

enum class shell_kind : uint8_t {
  none,
  posix, ///< sh, bash, ...
  zsh,
  other, ///< fish, csh, ...: of another language
};
shell_kind kind_of_shell(std::string_view command);

/// `/usr/bin/node`, `node.exe`: `node`.
std::string_view program_called(std::string_view command);

/// A program, and how many words of its own that are no options decide what it starts.
struct starter {
  std::string_view name; ///< `python` for all of them
  size_t operands;
  bool reads_stdin = false; ///< without an operand it runs what it reads there
};
/// A starter that starts other programs by their names: `npx`, `uv run`, `mise exec`.
bool is_runner(std::string_view command);
/// Null: it is none that is known.
const starter* find_starter(std::string_view command);

/// `-c`, `--eval`: the next word is its program, or a module, and what follows is only told to that.
bool is_code_option(const starter& of, std::string_view option);
/// The next word is, or may be, its value.
bool takes_value(const starter& of, const text_word& option);
bool is_option_word(const text_word& word);

/// `-`, `/dev/stdin`, `/dev/fd/3`
bool is_descriptor_path(std::string_view word);

/// What follows the options of the shell at `shell`: where that is, and whether it is a text.
struct shell_operand {
  size_t at;
  bool is_text = false;
  bool is_known = true; ///< false: an option is not
};
shell_operand operand_of_shell(const std::vector<text_word>& words, size_t shell);

/// Starts nothing of this machine that its words name, whatever they are.
bool is_teller(std::string_view command);
/// Of the words behind a `git` those that decide what it does: `git -C x log $1`, up to `log`, which starts nothing.
/// All of them, if it is another one.
size_t deciding_words_of_git(const std::vector<text_word>& words, size_t git);
/// Gives its words to another machine, or to a container.
bool is_remote(std::string_view command);
/// Starts what follows, or what it reads, with what it finds put in: `xargs`, `find`.
bool is_lister(std::string_view command);

/// Says by its value what is started: `PATH`, `NODE_OPTIONS`, ...
bool is_deciding_variable(std::string_view name);
/// Of those that name files and folders of code themselves: `PYTHONPATH`, `BASH_ENV`.
bool names_code(std::string_view name);
/// `BASH_ENV=$D/rc`, a function that bash takes from a variable.
bool is_expanded_by_shell(std::string_view name, std::string_view value);

/// Of a text of that language that it can be read as one for sh: it has nothing in it that means something else there.
bool is_plain_for(shell_kind shell, std::string_view text);

} // namespace config
