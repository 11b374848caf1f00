// What the server and a template of guests say to each other, in messages of a SOCK_SEQPACKET socket: see
// sandbox/launch/guest_template.hpp and guest_fork.cpp. No C++ library: guest-fork has none.
//
// The template gets, first, one byte, and with it the filter of system calls if there is one. It answers with one byte
// when it can make guests. Then it gets an order for each box of a guest: one byte, and descriptors. Process 1 of the
// box makes it, and waits for a `guest_start`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sandbox {

/// In this order; files of the cgroups that the guest joins follow, for "0" to be written into.
enum order_descriptor : size_t {
  /// Stays with process 1: a socket like the above. Over it go one byte with a pidfd of process 1, once the box is
  /// made;
  /// to process 1, a `guest_start`; and the guest's wait status (int) when that has ended.
  order_lifeline,
  order_descriptors_min,
};

struct guest_start {
  uint32_t cpu_seconds; ///< of one process of the guest at most
};

enum start_descriptor : size_t {
  start_output,      ///< becomes 1
  start_diagnostics, ///< becomes 2
  start_channel,     ///< becomes 3
  start_descriptors,
};

inline constexpr size_t fork_descriptors_max = 8; ///< of one message; a guest has three cgroups at most

} // namespace sandbox
