// Another look at the files that list servers, while the program runs.
#pragma once

#include "config/server_list.hpp"

#include <string>
#include <vector>

namespace config {

/// Files and folders whose change may change the servers, as they are now: of a folder with a file for each server, the
/// folder and its files.
std::vector<std::string> watched_places(const environment& env);

/// Of `now`, without those of `before`.
std::vector<std::string> new_problems(const server_list& before, const server_list& now);

} // namespace config
