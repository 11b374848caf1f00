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

} // namespace config
