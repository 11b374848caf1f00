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

/// Of the words of a command which shell that at `at` is a text for: `sh -c TEXT`, `script -qec TEXT`, `--stdio TEXT`,
/// `eval TEXT`. None: it is none, by the words in front of it.
shell_kind is_for_shell(const std::vector<text_word>& words, size_t at);
/// It reads like one: a program of it is one that starts others, or a word of the shell that goes somewhere.
bool is_like_text(const shell_text& text);
/// A text for another program than a shell: `python -c TEXT`, `jq -c TEXT`.
bool is_code(const std::vector<text_word>& words, size_t at);

} // namespace config
