// Another look at the files that list servers, while the program runs.
#pragma once

#include "config/server_list.hpp"

#include <string>
#include <vector>

namespace config {

/// Files and folders whose change may change the servers.
std::vector<std::string> watched_places(const environment& env);

/// What is in force after another look: a server whose file has a problem now, and that is not in it any more, stays as
/// it was. The problems are those of `now`.
server_list in_force(const server_list& before, server_list now);

/// Of `now`, without those of `before`.
std::vector<std::string> new_problems(const server_list& before, const server_list& now);

} // namespace config
