// What a process does just before it becomes its program. System calls only: it may share its parent's memory, or have
// no library at all.
#pragma once

#include <cstddef>
#include <cstdint>

#include <csignal>
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

namespace process {

struct placed_descriptor {
  int from, to;
};

/// Moves every descriptor to its number and closes all others. False: errno says why.
inline bool place_descriptors(placed_descriptor* descriptors, size_t count) {
  int last = 2;
  for (size_t i = 0; i < count; ++i)
    last = descriptors[i].to > last ? descriptors[i].to : last;
  for (size_t i = 0; i < count; ++i) {
    auto& from = descriptors[i].from;
    from = ::fcntl(from, F_DUPFD_CLOEXEC, last + 1); // first out of the way of all targets
    if (from < 0)
      return false;
  }
  for (int fd = 0; fd <= last; ++fd) {
    bool wanted = false;
    for (size_t i = 0; i < count; ++i)
      wanted = wanted || descriptors[i].to == fd;
    if (!wanted)
      ::close(fd);
  }
  for (size_t i = 0; i < count; ++i)
    if (::dup2(descriptors[i].from, descriptors[i].to) < 0)
      return false;
  return ::close_range(static_cast<unsigned>(last) + 1, ~0u, CLOSE_RANGE_CLOEXEC) == 0;
}

/// 0: stays who it is. Else also drops all groups.
inline bool become_user(uid_t user) {
  return user == 0
         || (::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0 && ::setresuid(user, user, user) == 0);
}

/// From now on it dies with `parent`. After the change of user, which clears it. False: the parent is dead already.
inline bool die_with(pid_t parent) { return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent; }

/// What a waiting process is told, in one message: this, the numbers its descriptors get (int32), then the working
/// folder (empty: it stays), all arguments, all of the environment: each its length without the 0 (uint32), the text,
/// and a 0. The descriptors come along: what one message does not take, in further ones that hold a byte each.
struct prespawned_order {
  uint32_t user;
  int32_t parent;
  uint32_t descriptors;
  uint32_t arguments;
  uint32_t environment;
};
inline constexpr size_t prespawned_order_bytes_max = 128u << 10; ///< what a socket takes at once
inline constexpr size_t message_descriptors_max = 250;           ///< SCM_MAX_FD is 253
inline constexpr size_t prespawned_descriptors_max = 1'000; ///< half of what messages may hold before they are read
inline constexpr size_t prespawned_strings_max = 4'096;

} // namespace process
