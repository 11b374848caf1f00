// Files of variables for a server (`envFile`), as editors and shells write them.
#pragma once

#include "messages/errors.hpp"

#include <map>
#include <string>
#include <string_view>

namespace config {

/// Lines `NAME=value`, also with `export` before and `#` lines between; a value may stand in quotes, and between double
/// ones \n, \r, \t, \" and \\ mean what they do elsewhere. Nothing in it is expanded. The fault names file and line,
/// never what the line says.
msg::outcome<std::map<std::string, std::string>> parse_env_file(const std::string& path, std::string_view text);

/// Reads it; a file that is missing, larger than entry_file_bytes_max or wrong is a fault.
msg::outcome<std::map<std::string, std::string>> read_env_file(const std::string& path);

} // namespace config
