// A configuration file of whatever format, as one JSON value, with the places of its parts.
#pragma once

#include "config/json_positions.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/limits.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace config {

enum class file_format : uint8_t { json, toml, yaml };

/// By the end of its name; JSON unless it is .toml, .yaml or .yml.
file_format format_of(std::string_view path);

/// What the files of a project may still take, text and values. Each reading of one takes of it, also for one that is
/// broken.
struct file_room {
  uint64_t bytes = msg::limits::config_project_bytes_max;
  uint64_t parsed_bytes = msg::limits::config_project_parsed_bytes_max;
};

class config_file {
public:
  /// A file that does not exist has neither error nor content. JSON may have comments and trailing commas. `room`: null
  /// for a file of the user; one that has no room is a fault (limit_exceeded).
  static config_file read(const std::string& path, file_room* room = nullptr);

  /// The same of a text that is the file's, or is to become it.
  static config_file of_text(const std::string& path, std::string text);

  /// Whether it is JSON without comments and trailing commas. Read again for that when a caller asks first.
  bool is_strict_json() const;
  bool exists() const { return exists_; }
  const msg::fault& error() const { return error_; } ///< names file, line and column
  const boost::json::value& root() const { return content_.value(); }
  const std::string& path() const { return path_; }
  /// "PATH: line 3, column 5". `part` as in json_positions; one that is not there has the place of what it would be in.
  std::string place(std::string_view part) const;
  /// Of the keys that lead to `part` and those in it, one that is given twice, so that a value is lost: a sentence with
  /// its place. Empty: there is none, or the file is larger than what people write. The other formats do not allow it.
  std::string repeated_key(const std::string& part) const;
  /// From now on place() is asked about parts beneath this one only. Large files are not searched for others.
  void look_beneath(std::string part);

private:
  void read_text(file_room* room);
  void parse(file_room* room);

  std::string path_;
  bool exists_ = false;
  msg::fault error_;
  msg::document content_;
  std::string text_;
  file_format format_ = file_format::json;
  std::string beneath_;
  mutable json_positions positions_; ///< of JSON only when a caller asks
  mutable bool has_positions_ = false;
  mutable std::optional<line_table> lines_; ///< when a caller asks
  mutable std::optional<bool> is_strict_;
};

} // namespace config
