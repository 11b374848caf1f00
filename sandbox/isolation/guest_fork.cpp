// Makes guests by forking a process that has an interpreter loaded: a library for that process, the template, which
// calls it from Python (sandbox/guest/python/template.py). The template lives in a box of its own that has what the
// boxes of its guests have, has no descriptor but the standard ones and its orders, and never runs a program.
//
// A guest is two processes. The first one is made in namespaces of its own for user, pid, mount, network, ipc, uts and
// cgroup; it makes of them the same box that bubblewrap and guest-init make of theirs, forks the guest, and becomes
// guest-init, which outlives it. What differs is told in docs/security.md.
//
// As in guest-init: no C++ library, no allocation. It is a fork of a process with one thread.

#include "sandbox/isolation/confinement.hpp"
#include "sandbox/isolation/fork_order.hpp"

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/rseq.h>
#include <sys/socket.h>

extern "C" { // glibc 2.36 forgot it in this header
#include <sys/pidfd.h>
}

namespace {

using sandbox::fail;
using sandbox::misused;

constexpr int orders = 3;                                 ///< in the template
constexpr int channel = 3;                                ///< in a guest
constexpr const char* guest_init = "/runtime/guest-init"; ///< as box.cpp mounts it
/// bubblewrap's, see box.hpp.
constexpr unsigned long own_mounts = MS_NOSUID | MS_NODEV;

sandbox::system_call_filter filter;
int confinements_count = 0;
char** confinements = nullptr; ///< KEY=VALUE, as guest-init takes them
const char* temp_options = nullptr;

struct received_order {
  sandbox::fork_order order{};
  int descriptors[sandbox::fork_descriptors_max];
  size_t count = 0;

  void close_all() {
    for (size_t i = 0; i < count; ++i)
      close(descriptors[i]);
    count = 0;
  }
} next;

/// Ends with the server.
size_t receive(void* to, size_t bytes_max) {
  iovec whole{to, bytes_max};
  alignas(cmsghdr) char control[CMSG_SPACE(sandbox::fork_descriptors_max * sizeof(int))];
  msghdr message{};
  message.msg_iov = &whole;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = -1;
  while ((size = recvmsg(orders, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
    message.msg_controllen = sizeof control;
  if (size < 1)
    _exit(0);
  next.count = 0;
  if (auto* rights = CMSG_FIRSTHDR(&message)) {
    next.count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(next.descriptors, CMSG_DATA(rights), next.count * sizeof(int));
  }
  return static_cast<size_t>(size);
}

void write_file(const char* path, const char* text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) != static_cast<ssize_t>(strlen(text)))
    fail(path);
  close(file);
}

void join_cgroups() {
  for (size_t i = sandbox::fork_descriptors_min; i < next.count; ++i)
    if (write(next.descriptors[i], "0", 1) != 1)
      fail("cannot join the cgroup of the sandbox");
}

/// The same id as in the template's box.
void map_own_id(const char* file, unsigned id) {
  char line[64];
  snprintf(line, sizeof line, "%u %u 1\n", id, id);
  write_file(file, line);
}

void mount_own(const char* type, const char* where, unsigned long flags, const char* options) {
  if (mount(type, where, type, flags, options) != 0)
    fail(where);
}

void bring_up_loopback() {
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  memcpy(request.ifr_name, "lo", sizeof "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request) != 0)
    fail("loopback");
  close(any);
}

void give_up_bounding_set() {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
      fail("capabilities");
}

/// What bubblewrap does for a box.
void make_box(uid_t user, gid_t group) {
  write_file("/proc/self/setgroups", "deny");
  map_own_id("/proc/self/uid_map", user);
  map_own_id("/proc/self/gid_map", group);
  join_cgroups();
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
  sandbox::give_up_capabilities();
}

void tell_pidfd(int lifeline) {
  int own = pidfd_open(getpid(), 0);
  if (own < 0 || !sandbox::send_descriptor(lifeline, own))
    fail("pidfd");
  close(own);
}

/// What the template has of its own goes up to its orders, so no number is taken twice.
void place(int from, int to) {
  if (dup2(from, to) < 0)
    fail("dup2");
}

/// Flags and owner of an open file are shared by all who have it.
void open_own_stdin() {
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0)
    fail("/dev/null");
  place(nothing, 0);
}

/// One guest that is being made.
struct birth {
  const received_order& order;
  uid_t user; ///< of the template
  gid_t group;
  jmp_buf begin; ///< where the guest goes on
  bool is_trial() const { return order.count == 0; }
  int lifeline() const { return is_trial() ? -1 : order.descriptors[sandbox::fork_lifeline]; }
};

/// Where the kernel writes on which processor a thread runs: process 1 had no memory of its own for that, and a fork
/// inherits so.
void register_restartable_sequences() {
#ifdef RSEQ_SIG
  constexpr size_t area_bytes = 32; // the original size, which every kernel takes
  if (__rseq_size > 0)              // else the C library did not
    syscall(SYS_rseq, static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset, area_bytes, 0, RSEQ_SIG);
#endif
}

/// The guest, in its box.
[[noreturn]] void begin_guest(birth& of, sandbox::confinement& confined, const int (&guarded)[2]) {
  register_restartable_sequences();
  char none = 0;
  close(guarded[1]);
  while (read(guarded[0], &none, 1) < 0 && errno == EINTR)
    ;
  if (of.is_trial())
    close(channel);
  else
    place(of.order.descriptors[sandbox::fork_channel], channel);
  confined.enforce(channel, filter);
  longjmp(of.begin, 1);
}

/// It becomes a program that has nothing of the template's memory. The guest goes on when that can not be looked into,
/// which an exec gives up: `guarded` is closed then.
[[noreturn]] void become_first_process(const birth& of, pid_t guest, const int (&guarded)[2]) {
  char outlive[64], number[64];
  snprintf(outlive, sizeof outlive, "outlive=%d", static_cast<int>(guest));
  snprintf(number, sizeof number, "lifeline=%d", of.lifeline());
  int kept[] = {guarded[1], of.lifeline()};
  for (auto descriptor : kept)
    if (descriptor >= 0 && fcntl(descriptor, F_SETFD, 0) != 0)
      fail("descriptors");
  close_range(orders, orders, 0);
  const char* command[] = {guest_init, outlive, number, nullptr};
  char* nothing[] = {nullptr};
  execve(guest_init, const_cast<char**>(command), nothing);
  fail(guest_init);
}

/// Process 1 of a new box. Until it is another program it has the memory of the template, which waits so long: a copy
/// of that would cost as much as the guest itself.
int be_born(void* what) {
  auto& of = *static_cast<birth*>(what);
  signal(SIGCHLD, SIG_DFL);
  setsid(); // without, kill(0, ...) would reach the template; and each guest has its own share of the processor
  open_own_stdin();
  if (!of.is_trial()) {
    place(of.order.descriptors[sandbox::fork_output], 1);
    place(of.order.descriptors[sandbox::fork_diagnostics], 2);
  }
  make_box(of.user, of.group);
  sandbox::make_session_nice();
  int guarded[2];
  if (pipe2(guarded, O_CLOEXEC) != 0)
    fail("pipe");
  if (!of.is_trial())
    tell_pidfd(of.lifeline()); // before the limit on open files, which it may meet
  sandbox::limit_what_no_guest_needs();
  sandbox::limit(RLIMIT_CPU, of.order.order.cpu_seconds);
  sandbox::confinement confined;
  for (int i = 0; i < confinements_count; ++i)
    if (!confined.obey(confinements[i]))
      misused(confinements[i]);
  auto guest = fork(); // with the handlers of libraries, which may have threads to begin anew
  if (guest < 0)
    fail("fork");
  if (guest == 0)
    begin_guest(of, confined, guarded);
  become_first_process(of, guest, guarded);
}

/// 0 in the guest; in the template the process number of process 1 of its box, or -1.
pid_t fork_guest(const received_order& from) {
  constexpr int flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS
                        | CLONE_VM | CLONE_VFORK | SIGCHLD;
  alignas(64) static char stack[64u << 10];
  static birth of{from, getuid(), getgid(), {}};
  if (setjmp(of.begin) != 0)
    return 0;
  return clone(be_born, stack + sizeof stack, flags, &of);
}

} // namespace

// What the template calls. Of one thread, in this order.
extern "C" {

#define EXPORTED __attribute__((visibility("default")))

/// KEY=VALUE as guest-init takes them, and temp=OPTIONS for the mount of a guest's temp folders. They are kept. Takes
/// the first message.
EXPORTED void guest_fork_prepare(int count, char** arguments) {
  temp_options = count < 1 ? nullptr : sandbox::text_of(arguments[0], "temp");
  if (!temp_options)
    misused("arguments");
  confinements = arguments + 1;
  confinements_count = count - 1;
  char first = 0;
  receive(&first, sizeof first);
  if (next.count > 0)
    filter.read_from(next.descriptors[0]);
  next.close_all();
}

/// Whether guests can be made here: makes one that ends at once. It says why not on stderr, and does not return.
/// Returns 0 in that guest, which ends then.
EXPORTED int guest_fork_try() {
  next.order.cpu_seconds = UINT32_MAX;
  auto made = fork_guest(next);
  if (made == 0)
    return 0;
  int status = 0;
  if (made < 0 || waitpid(made, &status, 0) != made)
    fail("clone");
  if (status != 0)
    _exit(sandbox::exit_not_confined);
  signal(SIGCHLD, SIG_IGN); // nobody waits for the others
  return 1;
}

/// Tells the server that guests can be had.
EXPORTED void guest_fork_ready() {
  char byte = 0;
  if (send(orders, &byte, 1, MSG_NOSIGNAL) != 1)
    _exit(0);
}

/// Waits for the next order. Ends the process with its server.
EXPORTED void guest_fork_wait() {
  if (receive(&next.order, sizeof next.order) != sizeof next.order || next.count < sandbox::fork_descriptors_min)
    misused("order");
}

/// Makes the guest of that order. 0: this is the guest.
EXPORTED int guest_fork_make() {
  auto made = fork_guest(next);
  if (made != 0)
    next.close_all(); // where it could not be made, the server hears it by that
  return made != 0;
}
}
