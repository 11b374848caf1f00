// A value as it is written into a file of each format.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace edits {

/// How lines are begun and ended where something is put in.
struct text_style {
  std::string newline = "\n";
  std::string indent;      ///< of the line that the value begins in
  std::string unit = "  "; ///< that each level is indented by
};

/// JSON over several lines; lists of plain values, and what is empty, stay in one.
std::string json_text(const boost::json::value& value, const text_style& style);
/// The same in one line: `{"a": 1, "b": [2]}`. YAML and, but for objects, TOML read it as well.
std::string json_line(const boost::json::value& value);

/// A key, or a text, as TOML wants it: bare if it can be.
std::string toml_key(std::string_view key);
/// A value of TOML in one line; objects become inline tables.
std::string toml_line(const boost::json::value& value);

/// A text of YAML: plain if nobody can take it for anything else.
std::string yaml_scalar(const boost::json::value& value);
/// `key: value` in blocks; a value of several lines is indented below its key. Ends with an end of line.
std::string yaml_member(std::string_view key, const boost::json::value& value, const text_style& style);
/// `- key: value`, and the members after the first below it. Ends with an end of line.
std::string yaml_item(const boost::json::object& item, const text_style& style);

} // namespace edits
