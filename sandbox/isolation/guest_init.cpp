// First program inside the box: sets the limits, gives up what no guest needs, closes every descriptor but the standard
// ones and the channel, and becomes the guest. Limits are set here and not outside, because RLIMIT_NPROC counts per
// user namespace only when it is set inside of it: set before, all guests together would share one count.
//
// As process 1 of a box it stays what it is, starts the guest as its child, and ends with it. So there is no process
// in the box that ever knew the host; of process 1 the guest can see nothing but these arguments.
//
// Without namespaces (`landlock=only`) it runs on the host, and Landlock and seccomp are the walls: then a wall that is
// missing is an error.
//
// Static and tiny, so that the box needs nothing for it: no C++ library, no allocation.
//
//   guest-init KEY=VALUE... -- [COMMAND ARGUMENT...]     no command: a self-test of all that comes before it
//
//   source=FD       what the next key is about, as the server has opened it
//   seen=PATH       that is at this place of the box
//   over=PATH       mount it there, from /runtime/granted/FD: that is where it is already, only with other rights
//   on=PATH         mount it there, whatever is there
//   data=BYTES nproc=N nofile=N fsize=BYTES cpu=SECONDS   limits of every process of the guest
//   channel=PORT    listen on 127.0.0.1:PORT, send that socket over descriptor 3, and close that
//   listener=FD     listen on 127.0.0.1:3128 and send that socket over the Unix socket FD
//   leash=FD        alone with process 1 of a box: ask on that socket whether the guest may start, and start it if told
//   so landlock=box    reading anywhere, writing to devices and to what `writable` names landlock=only   nothing of
//   that, from / readable=PATH writable=PATH      rules for Landlock, after the key above seccomp=FD      the filter to
//   run under: instructions of BPF forks=yes       the command makes guests of its own forks (guest_fork.cpp): what is
//   theirs is not limited here outlive=PROCESS lifeline=FD      alone: process 1 of a box whose guest is that one, its
//   child; tells its status

#include "sandbox/isolation/channel_listener.hpp"

#include <cstdio>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace {

using sandbox::confinement;
using sandbox::fail;
using sandbox::has_value;
using sandbox::misused;
using sandbox::open_unlinked;
using sandbox::text_of;

constexpr int channel = 3;
/// Where bubblewrap puts what lies in a granted folder. It would follow links that other programs make there meanwhile.
constexpr const char* waiting = "/runtime/granted";
constexpr uint16_t proxy_port = 3128;
constexpr int proxy_backlog = 64;

confinement confined;
sandbox::system_call_filter filter;
/// What the guest has goes up to here.
int last_descriptor = channel;
int source = -1;
bool mounts_something = false;
bool forks = false;
int leash = -1;

/// The guest's way out.
void give_egress(int over) {
  sandbox::give_listener(over, proxy_port, proxy_backlog, "listener");
  close(over);
}

void give_channel(uint16_t port) {
  sandbox::give_channel(channel, port);
  last_descriptor = channel - 1;
}

void expect_the_source(int found, const char* path) {
  struct stat a {
  }, b{};
  if (fstat(found, &a) == 0 && fstat(source, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    return;
  errno = ESTALE;
  fail(path);
}

void expect_seen(const char* path) {
  int found = open_unlinked(path);
  expect_the_source(found, path);
  close(found);
}

void name(char (&to)[64], const char* folder, int descriptor) { snprintf(to, sizeof to, "%s/%d", folder, descriptor); }

/// Other programs may write the folder around it: so nothing is looked up twice, and nothing by a name.
void mount_source(const char* path, bool is_there_already) {
  if (!mounts_something && unshare(CLONE_NEWNS) != 0)
    fail("unshare");
  mounts_something = true;
  char from[64], to[64];
  name(from, waiting, source);
  expect_seen(from);
  int place = open_unlinked(path);
  if (is_there_already)
    expect_the_source(place, path);
  name(to, "/proc/self/fd", place);
  if (mount(from, to, nullptr, MS_BIND | MS_REC, nullptr) != 0)
    fail(path);
  close(place);
}

/// The right to mount, and what was waiting to be mounted.
void end_mounting() {
  if (mounts_something && mount("none", waiting, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") != 0)
    fail(waiting);
  sandbox::give_up_capabilities();
}

bool is_descriptor(const char* argument) {
  rlim_t value = 0;
  if (has_value(argument, "listener", value))
    give_egress(static_cast<int>(value));
  else if (has_value(argument, "channel", value))
    give_channel(static_cast<uint16_t>(value));
  else if (has_value(argument, "seccomp", value))
    filter.read_from(static_cast<int>(value));
  else if (has_value(argument, "leash", value))
    leash = static_cast<int>(value);
  else if (has_value(argument, "source", value))
    source = static_cast<int>(value);
  else
    return false;
  return true;
}

void obey(const char* argument) {
  if (auto seen = text_of(argument, "seen"))
    expect_seen(seen);
  else if (auto over = text_of(argument, "over"))
    mount_source(over, true);
  else if (auto on = text_of(argument, "on"))
    mount_source(on, false);
  else if (strcmp(argument, "forks=yes") == 0)
    forks = true;
  else if (!is_descriptor(argument) && !confined.obey(argument))
    misused(argument);
}

/// Ends with the guest.
[[noreturn]] void wait_for(pid_t guest) {
  auto status = sandbox::outlive(guest);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

pid_t fork_or_fail() {
  auto made = fork();
  if (made < 0)
    fail("fork");
  return made;
}

/// Bubblewrap, which ends us with itself, may be killed before it has said so. The server looks whether it lives, and
/// knows us from now on: what no program may write is in its way only as long as we live.
void ask_leave() {
  char byte = 1;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (write(leash, &byte, sizeof byte) != sizeof byte || read(leash, &byte, sizeof byte) != sizeof byte)
    _exit(1);
}

/// What was made of random numbers in the process that forks is made anew where the process number is another one,
/// which in a box of its own is always 2: so it must not be 2 here.
void skip_a_process_number() {
  auto unused = fork_or_fail();
  if (unused == 0)
    _exit(0);
  waitpid(unused, nullptr, 0);
}

/// Process 1 of a box whose guest was forked already: see guest_fork.cpp. Only now does the guest go on: no process of
/// the box looks into this one.
[[noreturn]] void outlive_forked(const char* guest, const char* lifeline) {
  prctl(PR_SET_DUMPABLE, 0);
  sandbox::outlive_and_tell(atoi(guest), lifeline ? atoi(lifeline) : -1);
}

} // namespace

int main(int, char** argv, char** environment) {
  auto at = argv + 1;
  if (auto* guest = *at ? text_of(*at, "outlive") : nullptr)
    outlive_forked(guest, at[1] ? text_of(at[1], "lifeline") : nullptr);
  for (; *at && strcmp(*at, "--") != 0; ++at)
    obey(*at);
  if (!*at)
    misused("arguments");
  if (!forks)
    sandbox::limit_what_no_guest_needs();
  end_mounting();
  if (getpid() == 1) {
    sandbox::make_session_nice();
    prctl(PR_SET_DUMPABLE, 0); // no process of the box looks into /proc/1; exec makes the guest visible to itself again
    if (forks)
      skip_a_process_number();
    if (leash >= 0)
      ask_leave();
    auto guest = fork_or_fail();
    if (guest > 0)
      wait_for(guest);
  }
  confined.enforce(last_descriptor, filter);
  if (!at[1])
    return 0;
  execve(at[1], at + 1, environment);
  fail(at[1]);
}
