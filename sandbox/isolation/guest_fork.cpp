// Makes guests by forking a process that has an interpreter loaded: a library for that process, the template, which
// calls it from Python (sandbox/guest/python/template.py).
//
// A guest is two processes. The first one is made in namespaces of its own for user, pid, mount, network, ipc, uts and
// cgroup; it makes of them the same box that bubblewrap and guest-init make of theirs (forked_box.hpp), forks the
// guest, and becomes guest-init, which outlives it. What differs is told in docs/security.md.
//
// As in guest-init: no C++ library, no allocation. It is a fork of a process with one thread.

#include "sandbox/isolation/forked_box.hpp"

#include <csetjmp>
#include <cstdint>
#include <sys/rseq.h>

namespace {

using sandbox::fail;
using sandbox::misused;
using sandbox::forked::box_order;
using sandbox::forked::orders;

constexpr int channel = 3;                                ///< in a guest
constexpr const char* guest_init = "/runtime/guest-init"; ///< as box.cpp mounts it

sandbox::system_call_filter filter;
int confinements_count = 0;
char** confinements = nullptr; ///< KEY=VALUE, as guest-init takes them
const char* temp_options = nullptr;
box_order next;

/// One guest that is being made.
struct birth {
  const box_order& order;
  uid_t user; ///< of the template
  gid_t group;
  sandbox::forked::start_order start;
  jmp_buf begin; ///< where the guest goes on
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
  if (of.order.is_trial())
    close(channel);
  else
    sandbox::forked::place(of.start.numbers[sandbox::start_channel], channel);
  confined.enforce(channel, filter);
  longjmp(of.begin, 1);
}

/// It becomes a program that has nothing of the template's memory. The guest goes on when that can not be looked into,
/// which an exec gives up: `guarded` is closed then.
[[noreturn]] void become_first_process(const birth& of, pid_t guest, const int (&guarded)[2]) {
  char outlive[64], number[64];
  snprintf(outlive, sizeof outlive, "outlive=%d", static_cast<int>(guest));
  snprintf(number, sizeof number, "lifeline=%d", of.order.lifeline());
  int kept[] = {guarded[1], of.order.lifeline()};
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
  sandbox::forked::begin_box(of.order, of.user, of.group, temp_options);
  sandbox::forked::await_start(of.order, of.start); // which has been sent: the template waits as well
  int guarded[2];
  if (pipe2(guarded, O_CLOEXEC) != 0)
    fail("pipe");
  sandbox::limit_what_no_guest_needs();
  sandbox::limit(RLIMIT_CPU, of.start.start.cpu_seconds);
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
pid_t fork_guest(const box_order& from) {
  constexpr int flags = sandbox::forked::box_flags | CLONE_VM | CLONE_VFORK | SIGCHLD;
  alignas(64) static char stack[64u << 10];
  static birth of{from, getuid(), getgid(), {}, {}};
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
  sandbox::forked::receive_filter(filter);
}

/// Whether guests can be made here: makes one that ends at once. It says why not on stderr, and does not return.
/// Returns 0 in that guest, which ends then.
EXPORTED int guest_fork_try() {
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
EXPORTED void guest_fork_ready() { sandbox::forked::tell_ready(); }

/// Waits for the next order. Ends the process with its server.
EXPORTED void guest_fork_wait() { sandbox::forked::receive_order(next); }

/// Makes the guest of that order. 0: this is the guest.
EXPORTED int guest_fork_make() {
  auto made = fork_guest(next);
  if (made != 0)
    next.close_all(); // where it could not be made, the server hears it by that
  return made != 0;
}
}
