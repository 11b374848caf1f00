// Which programs of the user's run now: a client reads its file when it starts.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <sys/types.h>

namespace setup {

/// Processes that are looked at. Of more the others are not found.
inline constexpr size_t processes_max = 20'000;

/// Of this user, by name; one process of each. A script counts by its own name (`node .../codex`).
std::map<std::string, pid_t> running_programs();

} // namespace setup
