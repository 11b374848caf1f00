// A JSON file that people edit: comments and trailing commas are accepted, errors come with line and column.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <string>

namespace config {

/// errc::none with a null document: there is no such file. A fault names file, line and column.
struct json_file {
  bool exists = false;
  msg::outcome<msg::document> content;
  std::string text; ///< what it was parsed from
};

json_file read_json_file(const std::string& path);

} // namespace config
