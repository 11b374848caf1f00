// What in a text may name a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Where a word may end: for a shell, in lists of files, in code.
inline constexpr std::string_view word_ends = " \t\r\n;&|()<>{}`\"',:=";

/// What is between those.
std::vector<std::string> pieces_of(std::string_view text);

/// Without what a shell takes for the end of a word, or writes around it.
std::string bare(std::string word);

/// What may be a word in a text for a shell, however it is put together: between blanks, with quotes and escapes, and
/// between all that may end one. The same one may be in it more than once.
std::vector<std::string> possible_words(std::string_view text);

} // namespace config
