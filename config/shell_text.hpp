// A text for a shell, taken apart whatever is in it: pipes, alternatives, blocks, and what a command prints into
// another one. Nothing is run or looked up. A word counts as known only if each part of it is one that the reader works
// out exactly as a shell does; what it has no rule for is unknown.
#pragma once

#include "config/variable_mentions.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
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
  /// Of all words of the command line that the text is in, which may be in another text there.
  std::shared_ptr<const variable_mentions> mentions = std::make_shared<const variable_mentions>();
  std::string cwd = {}; ///< that the text is started in; empty: not known
};

enum class word_value : uint8_t {
  known,
  position, ///< one that the text is given, and nothing beside it: `"$1"`, `"$@"`. It stands among the giver's words
  foreign,  ///< it holds variables of which neither the text nor the entry says anything; or is a position without
            ///< quotes
  unknown,  ///< it holds a pattern, what a command prints, or what the text itself makes of variables and positions
};

/// The folder that the command is started in is `$PWD` in it, however it was written.
struct text_word {
  std::string text; ///< without quotes; what is not known is left out
  word_value value = word_value::known;
  std::string printed_by = {}; ///< a program: the whole word is what that prints

  bool is_known() const { return value == word_value::known; }
};

struct text_command {
  std::vector<text_word> words;  ///< assignments and words of the shell (`if`, `{`) before it included
  std::vector<text_word> inputs; ///< files that it reads, and texts (`<<< TEXT`)
  bool is_fed = false;           ///< it, or one before it in the text, stands behind a pipe
};

struct shell_text {
  std::vector<text_command> commands; ///< also those whose output is a part of a word
  std::vector<std::string> outputs;   ///< files that are written, by redirections
  std::vector<std::string> functions; ///< that it defines
  std::string doubt;                  ///< what could not be taken apart; empty: nothing
};

shell_text read_shell_text(std::string_view text, const text_scope& scope);

} // namespace config
