// Where the parts of a JSON text stand, for complaints about a value that is well-formed and wrong all the same.
// Boost.JSON keeps no positions.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace config {

/// "line 3, column 5", both from 1; the column counts bytes.
std::string position(std::string_view text, size_t offset);
size_t line_of(std::string_view text, size_t offset);

/// The same for many places in one text, which is looked through once.
class line_table {
public:
  explicit line_table(std::string_view text);
  /// `text`: as it was given.
  std::string position(std::string_view text, size_t offset) const;

private:
  /// Where a part of the text begins.
  struct part {
    size_t lines;      ///< ends of lines before it
    size_t line_begin; ///< of the line that it begins in
  };
  std::vector<part> parts_;
};

/// What all paths of one text take in memory: those that come later have no place.
inline constexpr size_t positions_bytes_max = 32u << 20;

struct json_positions {
  /// Keys and list items by their path ("security.allowRead[0]"); the offset is that of the key, or of the item.
  std::map<std::string, size_t> offsets;
  /// The first key that its object has twice, as a path; empty: none. A parser silently drops one of the two.
  std::string duplicate;
  size_t duplicate_offset = 0;
};

/// The byte at which column `column` (characters, from 1) of line `line` (from 1) stands; at most the end of the text.
size_t offset_of(std::string_view text, size_t line, size_t column);

/// Where a reader of another format says that the part of that path stands.
struct text_mark {
  size_t line, column; ///< as in offset_of
  std::string path;
};
/// At most positions_bytes_max of them.
class text_marks {
public:
  void add(size_t line, size_t column, const std::string& path);
  /// Also of those that were left out.
  size_t count() const { return count_; }
  std::vector<text_mark> take() && { return std::move(marks_); }

private:
  std::vector<text_mark> marks_;
  size_t count_ = 0;
  size_t bytes_ = 0;
};
json_positions find_positions(std::string_view text, std::vector<text_mark> marks);

/// `text` was accepted by the parser of edited files: comments and trailing commas are skipped. `beneath`: only the
/// part of that path, what is in it, and what it is in.
json_positions find_positions(std::string_view text, std::string_view beneath = {});
/// The same without what is in the members of that part.
json_positions find_members(std::string_view text, std::string_view part);

/// Path of `key` in the object at `path`; the root is "".
std::string member_path(std::string_view path, std::string_view key);
std::string item_path(std::string_view path, size_t index);

} // namespace config
