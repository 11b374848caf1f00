#include "sandbox/isolation/isolation_report.hpp"

#include "sandbox/isolation/temp_files.hpp"

#include <algorithm>
#include <utility>

namespace sandbox {

namespace {

using msg::isolation_layer;

std::string mebibytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

isolation_layer held(std::string of, std::string by, std::string limit = {}) {
  return {std::move(of), true, std::move(by), std::move(limit)};
}
isolation_layer open(std::string of, std::string why) { return {std::move(of), false, std::move(why), {}}; }

/// In a cgroup, /tmp and /dev/shm are counted with it.
isolation_layer memory(const cgroup_place& place, const box& what) {
  if (place.memory.version != cgroup_version::none)
    return held("memory", to_string(place.memory.version),
                mebibytes(what.memory_bytes) + " and " + mebibytes(2 * what.temp_bytes) + " of temp space");
  return held("memory",
              "rlimit per process + watcher of the whole guest every 100 ms (no cgroup: " + place.memory.problem + ")",
              mebibytes(what.memory_bytes));
}

isolation_layer temp_files(const cgroup_place& place) {
  if (place.memory.version != cgroup_version::none)
    return held("temp files",
                std::string{to_string(place.memory.version)} + ", which counts the memory of the kernel for them");
  return held("temp files", "watcher of /tmp and of /dev/shm every 100 ms (no cgroup: " + place.memory.problem + ")",
              std::to_string(guest_temp_files_max));
}

isolation_layer processes(const cgroup_place& place, const box& what, bool boxed, bool seccomp) {
  auto limit = std::to_string(what.processes);
  if (place.pids.version != cgroup_version::none)
    return held("processes", std::string{to_string(place.pids.version)} + (boxed ? " + rlimit" : ""), limit);
  if (boxed)
    return held("processes", "rlimit of the guest's own user namespace (no cgroup: " + place.pids.problem + ")", limit);
  return seccomp ? held("processes", "seccomp: no process can be started; threads are not limited", "1")
                 : open("processes", "without namespaces the rlimit would count all processes of the user");
}

/// What is not made any more keeps its folder, which in v2 is the same for all.
std::vector<std::string> lost_of(const cgroup_place& place) {
  std::vector<std::string> lost;
  for (auto* controller : {&place.memory, &place.pids, &place.cpu})
    if (controller->version == cgroup_version::none && !controller->folder.empty()
        && std::find(lost.begin(), lost.end(), controller->problem) == lost.end())
      lost.push_back(controller->problem);
  return lost;
}

isolation_layer system_calls(bool seccomp) {
  return seccomp ? held("system calls", "seccomp filter") : open("system calls", "no filter is applied");
}

isolation_layer landlock_wall(int abi) {
  return abi > 0 ? held("landlock", "Landlock", "ABI " + std::to_string(abi)) : open("landlock", "it is not applied");
}

} // namespace

msg::isolation_report report_isolation(const isolation& isolated, const cgroup_place& place, const box& what) {
  msg::isolation_report report{std::string{to_string(isolated.mode)}, isolated.reason, {}, lost_of(place)};
  if (isolated.mode != isolation_mode::namespaces && isolated.mode != isolation_mode::landlock_only)
    return report; // no guest, no walls
  bool boxed = isolated.mode == isolation_mode::namespaces;
  bool seccomp = isolated.filter != nullptr;
  auto& all = report.layers;
  all.push_back(memory(place, what));
  all.push_back(processes(place, what, boxed, seccomp));
  all.push_back(held("open files", "rlimit per process", std::to_string(what.open_files)));
  all.push_back(held("file size", "rlimit per process", mebibytes(what.file_bytes)));
  all.push_back(held("CPU time", "rlimit per process; the run's timeout ends everything"));
  if (boxed) {
    all.push_back(held("temp space", "tmpfs size, of /tmp and as much of /dev/shm", mebibytes(what.temp_bytes)));
    all.push_back(temp_files(place));
    all.push_back(held("file system",
                       "mount namespace: read-only, nothing of the host but the runtime and what a run was granted"));
    all.push_back(held("network", "network namespace without a device but loopback"));
    all.push_back(held("other processes", "pid, ipc and user namespaces"));
  } else {
    all.push_back(isolated.landlock_abi > 0 ? held("temp space", "there is none: Landlock lets nothing be written")
                                            : open("temp space", "no Landlock"));
    all.push_back(isolated.landlock_abi > 0 ? held("file system", "Landlock: the runtime and what a run was granted")
                                            : open("file system", "no Landlock"));
    all.push_back(seccomp ? held("network", "seccomp: no socket can be made") : open("network", "no seccomp"));
    all.push_back(seccomp ? held("other processes", "seccomp: none can be reached; they are visible")
                          : open("other processes", "no seccomp"));
  }
  all.push_back(system_calls(seccomp));
  all.push_back(landlock_wall(isolated.landlock_abi));
  return report;
}

} // namespace sandbox
