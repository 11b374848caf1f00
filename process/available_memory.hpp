// How much memory could still be taken here, before something is killed or swapped out for it.
#pragma once

#include <cstdint>
#include <string>

namespace process {

/// In bytes: of the machine or, if that is less, of the container. Files that are only kept in memory count as free.
/// Reads at most four small files (20 us). What is not told is taken for plenty. The folders are for tests.
uint64_t available_memory(const std::string& proc = "/proc", const std::string& cgroups = "/sys/fs/cgroup");

} // namespace process
