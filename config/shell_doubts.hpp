// Whether it is known by reading what a text for a shell starts.
#pragma once

#include "config/shell_programs.hpp"
#include "config/shell_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace config {

/// What of a command decides which file it starts, or where, and is not known: a part of a sentence (`'cd' goes to what
/// is not known`). Empty: nothing. What a program is only told of, behind what it starts (`npx -y pkg $TOKEN`), decides
/// nothing; of a program that is not known each word may, but for a variable that neither the text nor the entry sets.
std::string doubt_in(const text_command& command);

/// What each word of a command is to the words in front of it.
struct word_use {
  /// That it is a text for: `sh -c TEXT`, `script -qec TEXT`, `--stdio TEXT`, `eval TEXT`. None: for no shell for sure.
  shell_kind shell = shell_kind::none;
  bool is_code = false; ///< for another program than a shell: `python -c TEXT`, `jq -c TEXT`
};
std::vector<word_use> uses_of(const std::vector<text_word>& words);
/// A text for a shell that an option has in it: `--command=TEXT`, `script -qcTEXT`. Empty: there is none.
std::string_view attached_text(const std::vector<text_word>& words, size_t at);

/// It reads like one: a program of it is one that starts others, or a word of the shell that goes somewhere.
bool is_like_text(const shell_text& text);
} // namespace config
