// Changes of a text at its positions: whatever they do not name stays as it is, byte for byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace edits {

/// The bytes from `begin` to before `end` become `with`.
struct text_edit {
  size_t begin = 0;
  size_t end = 0;
  std::string with;
};
/// In order of place; none overlaps another. Of two at one place the first comes first.
using text_edits = std::vector<text_edit>;

/// Keys that lead from the root to a part, its own last.
using key_path = std::vector<std::string>;

std::string apply_edits(std::string_view text, const text_edits& edits);

/// As the first line of the text ends: "\r\n" or "\n".
std::string newline_of(std::string_view text);
/// Where the line of that offset begins, and where it ends: before its "\n" or "\r\n".
size_t line_begin(std::string_view text, size_t offset);
size_t line_end(std::string_view text, size_t offset);
/// Where the line after it begins; the end of the text if there is none.
size_t next_line(std::string_view text, size_t offset);
/// The blanks and tabs that the line of that offset begins with.
std::string indent_of(std::string_view text, size_t offset);
/// Whether nothing but blanks and tabs stands before the offset in its line.
bool is_first_of_line(std::string_view text, size_t offset);
/// Whether there is nothing in it but blanks, tabs and ends of lines.
bool is_blank(std::string_view text);

} // namespace edits
