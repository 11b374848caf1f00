// The folders that a policy names. What is mounted for a run has to lie in one of them, so where they lead must be the
// user's choice alone: a link in a repository, or one that a program has made, would lead them elsewhere.
#pragma once

#include "messages/errors.hpp"

#include <filesystem>
#include <string>

namespace sandbox {

/// The real path of what is there now. Links are followed only in folders that belong to root and in which this server
/// could not make one; for a server that runs as root, only in `/` and the folders in it (`/home`, `/var`). The fault
/// says which part can not be opened, or is a link.
msg::outcome<std::filesystem::path> real_path_of_root(const std::string& path);

} // namespace sandbox
