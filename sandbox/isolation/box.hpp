// The isolation of one guest by bubblewrap: a description of the box, and the command that builds it.
//
// Inside: namespaces of its own for user, pid, mount, network, ipc, uts and cgroup, with no way to make more; the id
// 65534; an empty root with exactly the mounts listed; a private /tmp of bounded size; no network device but loopback.
// Process 1 is guest-init, which adds limits, Landlock and seccomp. Without namespaces: see landlock_only.hpp.
#pragma once

#include "messages/errors.hpp"
#include "messages/limits.hpp"
#include "process/child.hpp"
#include "sandbox/isolation/isolation.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sandbox {

enum class access : uint8_t { read_only, writable };

/// A file or folder of the host that the guest can see.
struct mount {
  process::c_text from; ///< absolute, on the host; symbolic links are followed once, when the box is built
  process::c_text to;   ///< absolute, in the box; its parents are made
  access mode = access::read_only;
  std::shared_ptr<process::descriptor> opened; ///< O_PATH: what is mounted, and `from` is then only its name
  bool narrows_a_grant = false;                ///< in namespaces only: Landlock knows no exceptions from what it allows
  /// A folder on the way to what no program may write: its name has to stay as well.
  bool leads_to_kept = false;
  bool hides = false; ///< a part of a grant, in namespaces only
};

struct box {
  std::vector<mount> mounts;
  std::vector<std::pair<std::string, std::string>> links; ///< (target, path in the box)
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> command; ///< command[0]: a path in the box
  size_t memory_bytes = msg::limits::guest_memory_bytes_max;
  size_t reserved_bytes = 0; ///< memory that the runtime reserves and does not use; comes on top of the limit
  size_t processes = msg::limits::guest_processes_max;
  size_t open_files = msg::limits::guest_open_files_max; ///< of one process
  size_t temp_bytes = msg::limits::guest_temp_bytes_max; ///< of /tmp, and as much of /dev/shm
  size_t file_bytes = msg::limits::guest_file_bytes_max; ///< one file, wherever it may be written
  uint32_t cpu_seconds = 0;                              ///< CPU time of one process of the guest at most
  /// In namespaces: the guest finds no channel on descriptor 3, but connects to it at this port of 127.0.0.1, once; 0:
  /// it does. It is told by one argument more, behind the program, and `channel_flags` stand before the program, which
  /// is the last word of the command. For runtimes that can take over no descriptor, or not cheaply.
  uint16_t channel_port = 0;
  std::vector<std::string> channel_flags = {};
  bool egress = false;                                 ///< something listens for the guest on 127.0.0.1:3128 in the box
  std::vector<std::shared_ptr<const void>> holds = {}; ///< released when the guest has ended
  /// The runtime itself denies its programs everything: it may run without namespaces.
  bool self_contained = false;
};

/// A command to launch, and the descriptors that must stay open until it has started.
struct prepared_box {
  process::launch launch;
  std::vector<process::descriptor> sources;
  /// With `egress`: our end of a Unix socket on which guest-init sends one byte and, with it (SCM_RIGHTS), the socket
  /// that listens in the box, before the guest starts. Ends without a byte: the box was not built.
  process::descriptor listener_source;
  /// With `holds`: our end of a socket on which guest-init asks whether it may start the guest; see box_end.
  process::descriptor leash;
  /// With `channel_port`, the same comes on descriptor 3: the socket to which the guest connects.
  bool sends_channel = false;
};

/// In the way that `tools.isolated` says. The fault names a mount that can not be opened, or says why guests can not be
/// kept in here. The caller adds descriptors 0 to 3 to the launch.
msg::outcome<prepared_box> prepare(const box& what, const isolation_tools& tools);

/// The box of a template (see sandbox/launch/guest_template.hpp) that makes guests, each for itself in a box like
/// `what`, which has no grants. In namespaces only. The caller adds descriptors 0 to 3 to the launch, 3 for the orders.
/// This one forks them: `preloaded` are names of modules that it loads for them, and the command has the file of the
/// cache as its last argument.
msg::outcome<prepared_box> prepare_forking_template(const box& what, const isolation_tools& tools,
                                                    const std::vector<std::string>& preloaded);
/// This one starts the command of each.
msg::outcome<prepared_box> prepare_starting_template(const box& what, const isolation_tools& tools);

} // namespace sandbox
