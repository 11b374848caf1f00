// Finding programs the way a shell does.
#pragma once

#include <string>
#include <string_view>

namespace process {

/// `command` with a slash: itself, relative to `cwd`; without: the first executable file of that name in the folders
/// of `path` (a PATH). Empty: there is none.
std::string find_executable(std::string_view command, std::string_view path, std::string_view cwd);

/// The executable that this process runs, with symbolic links resolved.
std::string own_executable();

} // namespace process
