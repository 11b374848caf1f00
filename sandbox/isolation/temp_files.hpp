// How many files a guest keeps in its temp space. A tmpfs bounds bytes; an empty file has none, and still takes memory
// of the kernel that the memory watch does not count where there is no cgroup.
#pragma once

#include "messages/guest.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sandbox {

/// Files, folders and links in one temp folder of a guest: each takes 1 KiB of the kernel, whatever its size.
inline constexpr size_t guest_temp_files_max = 65'536;

/// For memory_watch::watch: whether one of a guest's `folders` that is a tmpfs holds more than `files_max` files,
/// folders and links. `root`: one of the guest's processes, or what they stem from.
std::function<bool()> too_many_temp_files(pid_t root, std::vector<std::string> folders, size_t files_max);

/// For a guest that was ended because of them.
void end_of_too_many_files(msg::guest_exit& how);

} // namespace sandbox
