// Folders with a file for each server, or for a few.
#pragma once

#include <string>
#include <vector>

namespace config {

struct folder_files {
  std::vector<std::string> paths; ///< in order of name; none: there is no such folder
  std::string problem;            ///< a whole sentence; empty: none
};

/// "FOLDER/*.json": the files of the folder whose names end so and do not begin with a dot; at most
/// config_folder_files_max, the first in order of name of config_folder_names_max names that were looked at.
folder_files files_of_folder(const std::string& pattern);

} // namespace config
