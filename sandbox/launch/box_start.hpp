// The start of the process of a box, in a cgroup where there can be one.
#pragma once

#include "sandbox/isolation/box.hpp"
#include "sandbox/launch/guest.hpp"

#include <memory>

namespace sandbox {

struct started_box {
  std::unique_ptr<process::child> child;
  std::unique_ptr<guest_cgroup> group; ///< null: none
};

/// `further_processes`: of ours, that are in the cgroup as well.
cgroup_limits cgroup_limits_of(const box& what, uint32_t further_processes);

/// Takes the thread until it has been started: about 2 ms without a process that waits for it.
msg::outcome<started_box> start_box(const guest_environment& environment, const cgroup_limits& limits,
                                    const process::launch& launch);

/// The body of a guest in that box, begun in its turn. `theirs` are 1 to 3 of the guest. Throws std::system_error when
/// this process has no descriptors left.
std::shared_ptr<guest_body> start_box_body(const guest_environment& environment, const box& what, prepared_box prepared,
                                           guest_ends theirs);

} // namespace sandbox
