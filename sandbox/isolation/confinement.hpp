// What a process gives up before it becomes a guest: limits, Landlock, system calls. For guest-init, guest-fork and
// guest-spawn, so without a C++ library, allocation or exceptions.
#pragma once

#include "sandbox/isolation/landlock.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sandbox {

/// Each timer takes one of those that the user has, too.
inline constexpr rlim_t signals_pending_max = 256;
/// Exit status of what could not be made a guest; why stands on its stderr.
inline constexpr int exit_not_confined = 71;

[[noreturn]] inline void fail(const char* what) {
  auto why =
    errno == ESTALE ? "it was renamed or replaced while the sandbox was made; run the program again" : strerror(errno);
  for (auto text : {"guest-init: ", what, ": ", static_cast<const char*>(why), "\n"})
    if (write(2, text, strlen(text)) < 0)
      break;
  _exit(exit_not_confined);
}

[[noreturn]] inline void misused(const char* what) {
  errno = EINVAL;
  fail(what);
}

inline void limit(__rlimit_resource resource, rlim_t wanted) {
  rlimit present{};
  getrlimit(resource, &present);
  auto value = wanted < present.rlim_max ? wanted : present.rlim_max;
  rlimit both{value, value};
  if (setrlimit(resource, &both) != 0)
    fail("setrlimit");
}

/// The number behind "key=" when `argument` begins with that.
inline bool has_value(const char* argument, const char* key, rlim_t& value) {
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
inline const char* text_of(const char* argument, const char* key) {
  auto n = strlen(key);
  return strncmp(argument, key, n) == 0 && argument[n] == '=' ? argument + n + 1 : nullptr;
}

/// Follows no link, wherever it is in the path.
inline int open_unlinked(const char* path) {
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

/// The descriptor with the one byte that has to go with it.
inline bool send_descriptor(int over, int sent) {
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

/// Of every guest, whatever else is asked for.
inline void limit_what_no_guest_needs() {
  // 1, not 0: a core that goes to a program of the host is made at a limit of 0, and is not at 1.
  limit(RLIMIT_SIGPENDING, signals_pending_max);
  limit(RLIMIT_CORE, 1);
  signal(SIGXFSZ, SIG_IGN); // a file over the limit is an error of the write, not the end of the guest
}

inline void give_up_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 || syscall(SYS_capset, &header, none) != 0)
    fail("capabilities");
}

/// The instructions of a filter of system calls. The kernel takes BPF_MAXINSNS of them; ours has about 300.
class system_call_filter {
public:
  /// The offset of the file is shared with other guests, and is left as it is.
  void read_from(int file) {
    auto size = pread(file, instructions_, sizeof instructions_, 0);
    if (size <= 0 || static_cast<size_t>(size) % sizeof(sock_filter) != 0)
      misused("seccomp");
    count_ = static_cast<unsigned short>(static_cast<size_t>(size) / sizeof(sock_filter));
  }

  void enforce() {
    sock_fprog program{count_, instructions_};
    if (count_ > 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
      fail("seccomp");
  }

private:
  sock_filter instructions_[BPF_MAXINSNS];
  unsigned short count_ = 0; ///< 0: there is none
};

/// What the arguments KEY=VALUE ask for: see guest_init.cpp.
class confinement {
public:
  /// Sets a limit, or notes what is given up later. False: the argument means nothing here.
  bool obey(const char* argument) {
    if (auto where = text_of(argument, "landlock"))
      begin_landlock(where);
    else if (auto readable = text_of(argument, "readable"))
      keep(readable, landlock::read);
    else if (auto writable = text_of(argument, "writable"))
      keep(writable, landlock::read | landlock::change);
    else
      return is_limit(argument);
    return true;
  }

  /// Gives up, in this order: files and other processes, descriptors above `last_descriptor`, system calls.
  void enforce(int last_descriptor, system_call_filter& filter) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
      fail("no_new_privs");
    if (rules_.begun() && !rules_.enforce())
      fail("landlock");
    if (close_range(static_cast<unsigned>(last_descriptor) + 1, ~0u, 0) != 0)
      fail("close_range");
    filter.enforce();
  }

private:
  static bool is_limit(const char* argument) {
    constexpr struct {
      const char* key;
      __rlimit_resource resource;
    } limits[] = {{"data", RLIMIT_DATA},
                  {"nproc", RLIMIT_NPROC},
                  {"nofile", RLIMIT_NOFILE},
                  {"fsize", RLIMIT_FSIZE},
                  {"cpu", RLIMIT_CPU}};
    rlim_t value = 0;
    for (auto& each : limits)
      if (has_value(argument, each.key, value)) {
        limit(each.resource, value);
        return true;
      }
    return false;
  }

  void keep(const char* path, uint64_t rights) {
    if (!rules_.begun())
      return;
    int place = follows_links_ ? open(path, O_PATH | O_CLOEXEC) : open_unlinked(path);
    if (place < 0 || !rules_.keep(place, rights))
      fail(path);
    close(place);
  }

  /// A box on a kernel without Landlock is still a box.
  void begin_landlock(const char* where) {
    if (strcmp(where, "only") == 0) {
      follows_links_ = true;
      if (!rules_.begin(landlock::tcp) || chdir("/") != 0)
        fail("landlock");
    } else if (rules_.begin(0)) {
      keep("/", landlock::read);
      keep("/dev", landlock::write_file | landlock::truncate | landlock::ioctl_device);
    }
  }

  landlock::ruleset rules_;
  bool follows_links_ = false; ///< without namespaces paths are names of descriptors
};

/// The life of process 1 of a box: it ends when the guest has, and the kernel then kills all else that is left in the
/// box. Gives the guest's wait status. Keeps no descriptor but `kept`: pipes and channel end with the guest.
inline int outlive(pid_t guest, int kept = -1) {
  if (kept < 0)
    close_range(0, ~0u, 0);
  else {
    close_range(static_cast<unsigned>(kept) + 1, ~0u, 0);
    if (kept > 0)
      close_range(0, static_cast<unsigned>(kept) - 1, 0);
  }
  for (int status = 0;;) {
    auto ended = waitpid(-1, &status, 0);
    if (ended == guest && (WIFEXITED(status) || WIFSIGNALED(status)))
      return status;
  }
}

/// As process 1 of a box that a template has made, which tells the wait status over the lifeline (fork_order.hpp).
[[noreturn]] inline void outlive_and_tell(pid_t guest, int lifeline) {
  auto status = outlive(guest, lifeline);
  if (lifeline >= 0) [[maybe_unused]]
    auto told = write(lifeline, &status, sizeof status);
  _exit(status == 0 ? 0 : exit_not_confined);
}

/// Where the kernel schedules each session as one, and the box is one, its niceness is what counts, and not that of its
/// processes. The kernel takes ten of these a second; what it refuses is no worse than before.
inline void make_session_nice() {
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

} // namespace sandbox
