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
//   landlock=box    reading anywhere, writing to devices and to what `writable` names; landlock=only: nothing of that,
//   from / readable=PATH writable=PATH   rules for Landlock, after the key above seccomp=FD      the filter to run
//   under: instructions of BPF

#include "sandbox/isolation/landlock.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace landlock = sandbox::landlock;

constexpr int channel = 3;
/// Where bubblewrap puts what lies in a granted folder. It would follow links that other programs make there meanwhile.
constexpr const char* waiting = "/runtime/granted";
constexpr uint16_t proxy_port = 3128;
constexpr int proxy_backlog = 64;
/// Each timer takes one of those that the user has, too.
constexpr rlim_t signals_pending_max = 256;
/// Our filters have about 300 instructions; the kernel takes this many.
constexpr size_t filter_instructions_max = BPF_MAXINSNS;

landlock::ruleset rules;
int filter = -1;
/// What the guest has goes up to here.
int last_descriptor = channel;
int source = -1;
bool mounts_something = false;
bool follows_links = false; ///< without namespaces paths are names of descriptors

[[noreturn]] void fail(const char* what) {
  auto why =
    errno == ESTALE ? "it was renamed or replaced while the sandbox was made; run the program again" : strerror(errno);
  for (auto text : {"guest-init: ", what, ": ", static_cast<const char*>(why), "\n"})
    if (write(2, text, strlen(text)) < 0)
      break;
  _exit(71);
}

[[noreturn]] void misused(const char* what) {
  errno = EINVAL;
  fail(what);
}

void limit(__rlimit_resource resource, rlim_t wanted) {
  rlimit present{};
  getrlimit(resource, &present);
  auto value = wanted < present.rlim_max ? wanted : present.rlim_max;
  rlimit both{value, value};
  if (setrlimit(resource, &both) != 0)
    fail("setrlimit");
}

/// The descriptor with the one byte that has to go with it.
bool send_descriptor(int over, int sent) {
  char byte = 0;
  iovec content{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof sent)] = {};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  auto header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof sent);
  memcpy(CMSG_DATA(header), &sent, sizeof sent);
  return sendmsg(over, &message, MSG_NOSIGNAL) == 1;
}

/// The guest's way out: the process that holds the other end of `over` accepts here what the guest connects.
void give_listener(int over, uint16_t port, int backlog, const char* what) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0 || bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(s, backlog) != 0
      || !send_descriptor(over, s))
    fail(what);
  close(s);
}

void give_egress(int over) {
  give_listener(over, proxy_port, proxy_backlog, "listener");
  close(over);
}

/// For a guest that can only connect: the process that holds the other end of the channel accepts its one connection
/// here. The network is the box's own, and a Unix socket is nothing that a guest may make.
void give_channel(uint16_t port) {
  give_listener(channel, port, 1, "channel");
  last_descriptor = channel - 1;
}

/// The number behind "key=" when `argument` begins with that.
bool has_value(const char* argument, const char* key, rlim_t& value) {
  auto n = strlen(key);
  if (strncmp(argument, key, n) != 0 || argument[n] != '=')
    return false;
  char* end = nullptr;
  errno = 0;
  value = strtoull(argument + n + 1, &end, 10);
  if (errno != 0 || end == argument + n + 1 || *end != '\0')
    misused(argument);
  return true;
}

/// The text behind "key=" when `argument` begins with that.
const char* text_of(const char* argument, const char* key) {
  auto n = strlen(key);
  return strncmp(argument, key, n) == 0 && argument[n] == '=' ? argument + n + 1 : nullptr;
}

/// Follows no link, wherever it is in the path.
int open_unlinked(const char* path) {
  int at = open("/", O_PATH | O_CLOEXEC);
  char part[NAME_MAX + 1];
  for (auto rest = path; at >= 0 && *rest;) {
    rest += strspn(rest, "/");
    auto size = strcspn(rest, "/");
    if (size > NAME_MAX)
      misused(path);
    memcpy(part, rest, size);
    part[size] = 0;
    rest += size;
    if (strcmp(part, "..") == 0)
      misused(path);
    int next = size == 0 ? dup(at) : openat(at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    close(at);
    at = next;
  }
  if (at < 0)
    fail(path);
  return at;
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
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 || syscall(SYS_capset, &header, none) != 0)
    fail("capabilities");
}

void keep(const char* path, uint64_t rights) {
  if (!rules.begun())
    return;
  int place = follows_links ? open(path, O_PATH | O_CLOEXEC) : open_unlinked(path);
  if (place < 0 || !rules.keep(place, rights))
    fail(path);
  close(place);
}

/// A box on a kernel without Landlock is still a box.
void begin_landlock(const char* where) {
  if (strcmp(where, "only") == 0) {
    follows_links = true;
    if (!rules.begin(landlock::tcp) || chdir("/") != 0)
      fail("landlock");
  } else if (rules.begin(0)) {
    keep("/", landlock::read);
    keep("/dev", landlock::write_file | landlock::truncate | landlock::ioctl_device);
  }
}

bool is_number(const char* argument) {
  rlim_t value = 0;
  if (has_value(argument, "data", value))
    limit(RLIMIT_DATA, value);
  else if (has_value(argument, "nproc", value))
    limit(RLIMIT_NPROC, value);
  else if (has_value(argument, "nofile", value))
    limit(RLIMIT_NOFILE, value);
  else if (has_value(argument, "fsize", value))
    limit(RLIMIT_FSIZE, value);
  else if (has_value(argument, "cpu", value))
    limit(RLIMIT_CPU, value);
  else if (has_value(argument, "listener", value))
    give_egress(static_cast<int>(value));
  else if (has_value(argument, "channel", value))
    give_channel(static_cast<uint16_t>(value));
  else if (has_value(argument, "seccomp", value))
    filter = static_cast<int>(value);
  else if (has_value(argument, "source", value))
    source = static_cast<int>(value);
  else
    return false;
  return true;
}

void obey(const char* argument) {
  if (auto where = text_of(argument, "landlock"))
    begin_landlock(where);
  else if (auto readable = text_of(argument, "readable"))
    keep(readable, landlock::read);
  else if (auto writable = text_of(argument, "writable"))
    keep(writable, landlock::read | landlock::change);
  else if (auto seen = text_of(argument, "seen"))
    expect_seen(seen);
  else if (auto over = text_of(argument, "over"))
    mount_source(over, true);
  else if (auto on = text_of(argument, "on"))
    mount_source(on, false);
  else if (!is_number(argument))
    misused(argument);
}

/// Ends with the guest: the kernel then kills all else that is left in the box.
[[noreturn]] void wait_for(pid_t guest) {
  close_range(0, ~0u, 0); // pipes and channel end with the guest, not with us
  for (int status = 0;;) {
    auto ended = waitpid(-1, &status, 0);
    if (ended == guest && (WIFEXITED(status) || WIFSIGNALED(status)))
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
}

/// Gives up, in this order: files and other processes, descriptors, system calls.
void give_up() {
  static sock_filter instructions[filter_instructions_max];
  sock_fprog program{0, instructions};
  if (filter >= 0) {
    auto size = pread(filter, instructions, sizeof instructions, 0); // the offset is shared with other guests
    if (size <= 0 || static_cast<size_t>(size) % sizeof(sock_filter) != 0)
      misused("seccomp");
    program.len = static_cast<unsigned short>(static_cast<size_t>(size) / sizeof(sock_filter));
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    fail("no_new_privs");
  if (rules.begun() && !rules.enforce())
    fail("landlock");
  if (close_range(static_cast<unsigned>(last_descriptor) + 1, ~0u, 0) != 0)
    fail("close_range");
  if (program.len > 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    fail("seccomp");
}

/// Where the kernel schedules each session as one, and the box is one, its niceness is what counts, and not that of its
/// processes. The kernel takes ten of these a second; what it refuses is no worse than before.
void make_session_nice() {
  auto own = getpriority(PRIO_PROCESS, 0);
  if (own <= 0)
    return;
  const char digits[] = {static_cast<char>('0' + own / 10), static_cast<char>('0' + own % 10)};
  int file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  size_t unused = own < 10 ? 1 : 0; // a zero in front would make it octal
  [[maybe_unused]] auto written = write(file, digits + unused, sizeof digits - unused);
  close(file);
}

} // namespace

int main(int, char** argv, char** environment) {
  // 1, not 0: a core that goes to a program of the host is made at a limit of 0, and is not at 1.
  limit(RLIMIT_SIGPENDING, signals_pending_max);
  limit(RLIMIT_CORE, 1);
  signal(SIGXFSZ, SIG_IGN); // a file over the limit is an error of the write, not the end of the guest
  auto at = argv + 1;
  for (; *at && strcmp(*at, "--") != 0; ++at)
    obey(*at);
  if (!*at)
    misused("arguments");
  end_mounting();
  if (getpid() == 1) {
    make_session_nice();
    prctl(PR_SET_DUMPABLE, 0); // no process of the box looks into /proc/1; exec makes the guest visible to itself again
    auto guest = fork();
    if (guest < 0)
      fail("fork");
    if (guest > 0)
      wait_for(guest);
  }
  give_up();
  if (!at[1])
    return 0;
  execve(at[1], at + 1, environment);
  fail(at[1]);
}
