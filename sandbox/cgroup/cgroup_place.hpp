// Where this process may make cgroups whose limits hold. Found by doing it once: what a kernel, a container or systemd
// allows can not be told from the names of files.
#pragma once

#include "sandbox/cgroup/cgroup_files.hpp"

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace sandbox {

enum class cgroup_version : uint8_t { none, v1, v2 };

/// "cgroup v1", "cgroup v2"; "none".
const char* to_string(cgroup_version v);

/// One controller. They are independent of each other: a machine may give one and not the others.
struct cgroup_controller {
  cgroup_version version = cgroup_version::none;
  std::string folder;  ///< ours: the guests' folders are made in it; empty: there is none
  std::string problem; ///< why there is none
};

struct cgroup_place {
  cgroup_controller memory;
  cgroup_controller pids; ///< in v2 of the same folder
  /// Of all guests together, so that the server comes first, however many they are; among themselves each has the same.
  /// Niceness does not do that: 20 guests of niceness 5 have six times the weight of the server.
  cgroup_controller cpu;
  std::string left; ///< v2: the cgroup that this process has left for a leaf of its own; empty: none
  std::string name; ///< of our folder, the same in each hierarchy
};

/// What the kernel says of us and its mounts: /proc/self/cgroup and /proc/self/mountinfo, and the inode of
/// /proc/self/ns/pid; 0: it is not known.
struct cgroup_membership {
  std::string cgroup;
  std::string mountinfo;
  uint64_t pid_namespace = 0;
};

/// Makes the folder `code-executor-<pid>-<PID namespace>` in our own cgroup of each hierarchy, so that whatever limits
/// us limits the guests too, and gives it half the weight on the processor that a process beside it has. In v2
/// processes and controllers exclude each other: this process moves to a leaf of its own, if it is alone in its cgroup.
/// Removes what dead servers of our own PID namespace have left: of another one, no number says that it is dead.
cgroup_place find_cgroup_place(cgroup_files& files, const cgroup_membership& we, pid_t own_pid);

/// Makes a folder of the place anew, which somebody else has removed. 0, or errno.
int make_place_again(cgroup_files& files, const cgroup_place& place, const std::string& folder);

/// Removes what find_cgroup_place has made, as far as it is empty, and returns to the cgroup that was left.
void leave_cgroup_place(cgroup_files& files, const cgroup_place& place, pid_t own_pid);

} // namespace sandbox
