// Makes boxes of guests that can not be forked, and starts the interpreter in each: what bubblewrap does, in a tenth of
// the time, because the mounts are there already. It is process 1 of the template's box (forked_box.hpp): tiny, so that
// a fork of it costs nothing, and it never runs a program.
//
// A guest is two processes, as of guest-fork: process 1 of its box is a fork of this one, and outlives the guest. It
// makes the box ahead of need, and waits for a program to come.
//
//   guest-spawn temp=OPTIONS KEY=VALUE... -- COMMAND ARGUMENT...
//
//   temp=OPTIONS              for the mount of a guest's temp folders
//   target=TEXT link=PATH     a symbolic link that each guest finds there
//   channel=PORT              as guest-init takes it, and so all others (guest_init.cpp)

#include "sandbox/isolation/channel_listener.hpp"
#include "sandbox/isolation/forked_box.hpp"

#include <climits>
#include <cstdint>
#include <sys/stat.h>

namespace {

using sandbox::fail;
using sandbox::misused;
using sandbox::text_of;
using sandbox::forked::box_order;
using sandbox::forked::start_order;

/// The guest's: its channel is a connection that it makes.
constexpr int last_descriptor = 2;
constexpr mode_t folder_mode = 0755;

sandbox::system_call_filter filter;
box_order next;

struct plan {
  const char* temp_options;
  char** arguments; ///< up to "--"
  char** command;
  char** environment;
  uid_t user;
  gid_t group;
};

void make_folders_above(const char* path) {
  char part[PATH_MAX];
  for (auto slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    auto size = static_cast<size_t>(slash - path);
    if (size >= sizeof part)
      misused(path);
    memcpy(part, path, size);
    part[size] = 0;
    if (mkdir(part, folder_mode) != 0 && errno != EEXIST)
      fail(part);
  }
}

void make_link(const char* target, const char* path) {
  if (!target)
    misused(path);
  make_folders_above(path);
  if (symlink(target, path) != 0)
    fail(path);
}

void give_channel(const start_order& start, uint16_t port) {
  if (start.count > 0)
    sandbox::give_channel(start.numbers[sandbox::start_channel], port);
}

/// In the box, in the order of the arguments: what the guest finds there, then what it gives up.
void obey_all(const plan& what, const start_order& start, sandbox::confinement& confined) {
  const char* target = nullptr;
  for (auto at = what.arguments; *at && strcmp(*at, "--") != 0; ++at) {
    rlim_t port = 0;
    if (auto text = text_of(*at, "target"))
      target = text;
    else if (auto path = text_of(*at, "link"))
      make_link(target, path);
    else if (sandbox::has_value(*at, "channel", port))
      give_channel(start, static_cast<uint16_t>(port));
    else if (!confined.obey(*at))
      misused(*at);
  }
}

[[noreturn]] void become_guest(const plan& what, bool is_trial, sandbox::confinement& confined) {
  confined.enforce(last_descriptor, filter);
  if (is_trial)
    _exit(0);
  execve(what.command[0], what.command, what.environment);
  fail(what.command[0]);
}

/// Process 1 of a new box.
[[noreturn]] void begin_first_process(const plan& what, const box_order& order) {
  sandbox::forked::begin_box(order, what.user, what.group, what.temp_options);
  start_order start;
  sandbox::forked::await_start(order, start);
  sandbox::limit_what_no_guest_needs();
  sandbox::limit(RLIMIT_CPU, start.start.cpu_seconds);
  sandbox::confinement confined;
  obey_all(what, start, confined);
  prctl(PR_SET_DUMPABLE, 0); // no process of the box looks into this one; exec makes the guest visible to itself again
  auto guest = fork();
  if (guest < 0)
    fail("fork");
  if (guest == 0)
    become_guest(what, order.is_trial(), confined);
  sandbox::outlive_and_tell(guest, order.lifeline());
}

/// The process number of process 1 of the guest's box, or -1.
pid_t make_guest(const plan& what, const box_order& order) {
  auto made = static_cast<pid_t>(syscall(SYS_clone, sandbox::forked::box_flags | SIGCHLD, 0, 0, 0, 0));
  if (made == 0)
    begin_first_process(what, order);
  return made;
}

/// Whether guests can be made here. It says why not on stderr, and does not return.
void try_once(const plan& what) {
  auto made = make_guest(what, next);
  int status = 0;
  if (made < 0 || waitpid(made, &status, 0) != made)
    fail("clone");
  if (status != 0)
    _exit(sandbox::exit_not_confined);
}

} // namespace

int main(int count, char** argv, char** environment) {
  auto temp_options = count > 1 ? text_of(argv[1], "temp") : nullptr;
  if (!temp_options)
    misused("arguments");
  auto command = argv + 2;
  while (*command && strcmp(*command, "--") != 0)
    ++command;
  if (!*command || !command[1])
    misused("arguments");
  plan what{temp_options, argv + 2, command + 1, environment, getuid(), getgid()};
  sandbox::forked::receive_filter(filter);
  try_once(what);
  signal(SIGCHLD, SIG_IGN); // nobody waits for the others
  sandbox::forked::tell_ready();
  for (;;) {
    sandbox::forked::receive_order(next);
    make_guest(what, next);
    next.close_all(); // where it could not be made, the server hears it by that
  }
}
