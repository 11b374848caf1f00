// What the server and a template of guests say to each other, in messages of a SOCK_SEQPACKET socket: see
// sandbox/launch/guest_template.hpp and guest_fork.cpp. No C++ library: guest-fork has none.
//
// The template gets, first, one byte, and with it the filter of system calls if there is one. It answers with one byte
// when it can fork guests. Then it gets a `fork_order` for each guest, with the guest's descriptors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sandbox {

struct fork_order {
  uint32_t cpu_seconds; ///< of one process of the guest at most
};

/// In this order; files of the cgroups that the guest joins follow, for "0" to be written into.
enum fork_descriptor : size_t {
  fork_output,      ///< becomes 1
  fork_diagnostics, ///< becomes 2
  fork_channel,     ///< becomes 3
  /// Stays with process 1 of the guest: a socket like the above. Over it comes one byte with a pidfd of process 1, once
  /// the box is made, and the guest's wait status (int) when that has ended.
  fork_lifeline,
  fork_descriptors_min,
};
inline constexpr size_t fork_descriptors_max = fork_descriptors_min + 4; ///< a guest has one cgroup or two

} // namespace sandbox
