// The isolation of one guest by bubblewrap: a description of the box, and the command that builds it.
//
// Inside: namespaces of its own for user, pid, mount, network, ipc, uts and cgroup, with no way to make more; the id
// 65534; an empty root with exactly the mounts listed; a private /tmp of bounded size; no network device but loopback.
#pragma once

#include "messages/errors.hpp"
#include "process/child.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sandbox {

/// A file or folder of the host that the guest can read.
struct read_only_mount {
  std::string from; ///< absolute, on the host; symbolic links are followed once, when the box is built
  std::string to;   ///< absolute, in the box
};

struct box {
  std::vector<read_only_mount> mounts;
  std::vector<std::pair<std::string, std::string>> links; ///< (target, path in the box)
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> command; ///< command[0]: a path in the box
  uint32_t cpu_seconds = 0;         ///< CPU time of one process of the guest at most
  size_t reserved_bytes = 0;        ///< memory that the runtime reserves and does not use; comes on top of the limit
};

/// What every box needs of this machine.
struct isolation_tools {
  std::string bubblewrap; ///< absolute path
  std::string guest_init; ///< absolute path
};

/// A command to launch, and the descriptors that must stay open until it has started.
struct prepared_box {
  process::launch launch;
  std::vector<process::descriptor> sources;
};

/// The fault (runtime_missing) names a mount that can not be opened. The caller adds descriptors 0 to 3 to the launch.
msg::outcome<prepared_box> prepare(const box& what, const isolation_tools& tools);

} // namespace sandbox
