// The box of a guest that is made by a template (fork_order.hpp) and not by bubblewrap: the same walls, in the same
// order, by the process that becomes process 1 of it. For guest-fork and guest-spawn, so without a C++ library,
// allocation or exceptions.
//
// The template lives in a box of its own that has what the boxes of its guests have, has no descriptor but the standard
// ones and its orders, and never runs a program.
#pragma once

#include "sandbox/isolation/confinement.hpp"
#include "sandbox/isolation/fork_order.hpp"

#include <cstdint>
#include <cstdio>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

extern "C" { // glibc 2.36 forgot it in this header
#include <sys/pidfd.h>
}

namespace sandbox::forked {

inline constexpr int orders = 3; ///< descriptor in the template
inline constexpr int box_flags =
  CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
/// bubblewrap's, see box.hpp.
inline constexpr unsigned long own_mounts = MS_NOSUID | MS_NODEV;

struct received_descriptors {
  int numbers[fork_descriptors_max];
  size_t count = 0;

  void close_all() {
    for (size_t i = 0; i < count; ++i)
      close(numbers[i]);
    count = 0;
  }
};

struct box_order : received_descriptors {
  /// A guest that only shows that guests can be made: nobody has ordered it.
  bool is_trial() const { return count == 0; }
  int lifeline() const { return is_trial() ? -1 : numbers[order_lifeline]; }
};

struct start_order : received_descriptors {
  guest_start start{UINT32_MAX};
};

/// Bytes of a message, which are put into `to`. Ends the process when there is no server any more.
inline size_t receive(int from, received_descriptors& into, void* to, size_t bytes_max) {
  iovec whole{to, bytes_max};
  alignas(cmsghdr) char control[CMSG_SPACE(fork_descriptors_max * sizeof(int))];
  msghdr message{};
  message.msg_iov = &whole;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = -1;
  while ((size = recvmsg(from, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
    message.msg_controllen = sizeof control;
  if (size < 1)
    _exit(0);
  into.count = 0;
  if (auto* rights = CMSG_FIRSTHDR(&message)) {
    into.count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(into.numbers, CMSG_DATA(rights), into.count * sizeof(int));
  }
  return static_cast<size_t>(size);
}

/// The first message, with the filter of system calls if there is one.
inline void receive_filter(system_call_filter& filter) {
  received_descriptors with;
  char first = 0;
  receive(orders, with, &first, sizeof first);
  if (with.count > 0)
    filter.read_from(with.numbers[0]);
  with.close_all();
}

/// Waits for it.
inline void receive_order(box_order& into) {
  char order = 0;
  receive(orders, into, &order, sizeof order);
  if (into.count < order_descriptors_min)
    misused("order");
}

/// Tells the server that guests can be had.
inline void tell_ready() {
  char byte = 0;
  if (send(orders, &byte, 1, MSG_NOSIGNAL) != 1)
    _exit(0);
}

inline void write_file(const char* path, const char* text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) != static_cast<ssize_t>(strlen(text)))
    fail(path);
  close(file);
}

inline void join_cgroups(const box_order& order) {
  for (size_t i = order_descriptors_min; i < order.count; ++i)
    if (write(order.numbers[i], "0", 1) != 1)
      fail("cannot join the cgroup of the sandbox");
}

/// The same id as in the template's box.
inline void map_own_id(const char* file, unsigned id) {
  char line[64];
  snprintf(line, sizeof line, "%u %u 1\n", id, id);
  write_file(file, line);
}

inline void mount_own(const char* type, const char* where, unsigned long flags, const char* options) {
  if (mount(type, where, type, flags, options) != 0)
    fail(where);
}

inline void bring_up_loopback() {
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  memcpy(request.ifr_name, "lo", sizeof "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request) != 0)
    fail("loopback");
  close(any);
}

inline void give_up_bounding_set() {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
      fail("capabilities");
}

/// What bubblewrap does for a box. `user`, `group`: of the template; `temp_options`: for the mount of temp folders.
inline void make_box(const box_order& order, uid_t user, gid_t group, const char* temp_options) {
  write_file("/proc/self/setgroups", "deny");
  map_own_id("/proc/self/uid_map", user);
  map_own_id("/proc/self/gid_map", group);
  join_cgroups(order);
  if (unshare(CLONE_NEWCGROUP) != 0) // which has its root where we are now
    fail("unshare");
  mount_own("proc", "/proc", own_mounts | MS_NOEXEC, nullptr);
  mount_own("tmpfs", "/tmp", own_mounts, temp_options);
  mount_own("tmpfs", "/dev/shm", own_mounts, temp_options);
  bring_up_loopback();
  write_file("/proc/sys/user/max_user_namespaces", "0");
  if (chdir("/tmp") != 0)
    fail("/tmp");
  give_up_bounding_set();
  give_up_capabilities();
}

inline void tell_pidfd(int lifeline) {
  int own = pidfd_open(getpid(), 0);
  if (own < 0 || !send_descriptor(lifeline, own))
    fail("pidfd");
  close(own);
}

/// What the template has of its own goes up to its orders, so no number is taken twice.
inline void place(int from, int to) {
  if (dup2(from, to) < 0)
    fail("dup2");
}

/// Flags and owner of an open file are shared by all that have it.
inline void open_own_stdin() {
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0)
    fail("/dev/null");
  place(nothing, 0);
}

/// From the clone that has made its namespaces to what a guest gives up. Descriptors 1 and 2 are the guest's then.
inline void begin_box(const box_order& order, uid_t user, gid_t group, const char* temp_options) {
  signal(SIGCHLD, SIG_DFL);
  setsid(); // without, kill(0, ...) would reach the template; and each guest has its own share of the processor
  open_own_stdin();
  make_box(order, user, group, temp_options);
  make_session_nice();
  if (!order.is_trial())
    tell_pidfd(order.lifeline());
}

/// Waits until there is a program for the box, or ends.
inline void await_start(const box_order& order, start_order& into) {
  if (order.is_trial())
    return;
  if (receive(order.lifeline(), into, &into.start, sizeof into.start) != sizeof into.start
      || into.count != start_descriptors)
    misused("start");
  place(into.numbers[start_output], 1);
  place(into.numbers[start_diagnostics], 2);
}

} // namespace sandbox::forked
