#include "sandbox/isolation/seccomp.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace sandbox {

namespace {

constexpr uint64_t low_half = 0xffffffff; ///< the kernel ignores the rest of an int; so must a comparison
constexpr uint64_t type_bits = 0xf;       ///< of the type of a socket; the rest are flags

// ---- for every guest ---------------------------------------------------------------------------

constexpr const char* denied[] = {
  // other namespaces and roots
  "unshare", "setns", "mount", "umount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen",
  "fsconfig", "fsmount", "fspick", "mount_setattr",
  // other processes, and what the kernel knows about them
  "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_getfd",
  "perf_event_open", "lookup_dcookie", "userfaultfd",
  // files by handle, whole file systems
  "open_by_handle_at", "name_to_handle_at", "fanotify_init", "fanotify_mark", "quotactl", "quotactl_fd", "sysfs",
  "ustat", "nfsservctl",
  // programs and keys inside the kernel
  "bpf", "seccomp", "add_key", "request_key", "keyctl",
  // the machine
  "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module", "query_module",
  "get_kernel_syms", "reboot", "swapon", "swapoff", "acct", "syslog", "_sysctl", "settimeofday", "stime",
  "clock_settime", "clock_adjtime", "clock_adjtime64", "adjtimex", "clock_settime64", "sethostname", "setdomainname",
  "vhangup", "iopl", "ioperm", "modify_ldt", "vm86", "vm86old", "uselib",
  // placing memory, also that of others; memory by page tricks
  "mbind", "migrate_pages", "move_pages", "set_mempolicy", "set_mempolicy_home_node", "vmsplice", "remap_file_pages",
  // of which the machine, or its user, has so many for all namespaces: asynchronous I/O, descriptors that are on their
  // way over a socket, watches, which also tell what others do in a folder
  "sendmsg", "sendmmsg", "io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "io_pgetevents",
  "inotify_init", "inotify_init1", "inotify_add_watch",
  // memory that no limit of a process counts
  "shmget", "shmat", "shmctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop",
  "semctl", "mq_open", "mq_unlink"};

/// What libraries try first and do without: they ask for ENOSYS. clone3 and openat2 hide what they want from a filter;
/// clone and openat do not.
constexpr const char* unknown[] = {
  "clone3",      "openat2", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_secret", "memfd_create",
  "afs_syscall", "getpmsg", "putpmsg",        "tuxcall",        "security",          "vserver"};

/// Linux 5.17. What came later has not been looked at.
constexpr uint32_t last_known_call = SYS_set_mempolicy_home_node;

// ---- on the host, in addition ------------------------------------------------------------------

/// Landlock keeps names and content of files, but not these: changing metadata.
constexpr const char* denied_landlock_only[] = {
  "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat",
  "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "truncate",
  // no process but its own, and no way out of its group
  "fork", "vfork", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_send_signal",
  "setpgid", "setsid", "execveat", "setpriority", "ioprio_set", "sched_setaffinity", "sched_setscheduler",
  "sched_setparam", "sched_setattr",
  // no network, and no Unix socket but a pair
  "socket", "connect", "bind", "listen", "accept", "accept4"};

// ---- building ----------------------------------------------------------------------------------

constexpr scmp_arg_cmp when(unsigned argument, scmp_compare how, uint64_t a, uint64_t b = 0) {
  return {argument, how, a, b};
}
constexpr scmp_arg_cmp int_is(unsigned argument, uint64_t value) {
  return when(argument, SCMP_CMP_MASKED_EQ, low_half, value);
}

class builder {
public:
  builder() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    keep(context_ ? 0 : -ENOMEM);
    keep(::seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    keep(::seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2)); // by a tree: every call of a guest walks it
  }
  builder(const builder&) = delete;
  builder& operator=(const builder&) = delete;
  ~builder() { ::seccomp_release(context_); }

  void deny(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}, int error = EPERM) {
    auto number = ::seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR)
      return; // not one of this architecture
    keep(::seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(static_cast<uint32_t>(error)), number,
                                  static_cast<unsigned>(conditions.size()), conditions.begin()));
  }

  int problem() const { return problem_; }
  int write_to(int fd) { return ::seccomp_export_bpf(context_, fd); }

private:
  void keep(int result) { problem_ = problem_ == 0 ? result : problem_; }

  scmp_filter_ctx context_;
  int problem_ = 0; ///< of the first thing that failed
};

/// IPv4 and IPv6 by stream or datagram. Everything else is a protocol that no program uses here; AF_VSOCK and its kind
/// do not even belong to a network namespace. Netlink too: libc does without, all but for the list of interfaces. Unix
/// sockets have names in folders: by one that is granted, a program would reach the process that listens there, on the
/// host or in another sandbox, and get descriptors from it, with which the mounts of a box are gone around. A pair
/// reaches none outside, but one of datagrams can be connected anew.
void deny_sockets(builder& to) {
  to.deny("socket", {when(0, SCMP_CMP_GT, AF_INET6)});
  for (uint64_t family = 0; family < AF_INET6; ++family)
    if (family != AF_INET)
      to.deny("socket", {int_is(0, family)});
  for (uint64_t family : {AF_INET, AF_INET6}) {
    for (uint64_t type = 0; type <= type_bits; ++type)
      if (type != SOCK_STREAM && type != SOCK_DGRAM)
        to.deny("socket", {int_is(0, family), when(1, SCMP_CMP_MASKED_EQ, type_bits, type)});
    to.deny("socket", {int_is(0, family), when(2, SCMP_CMP_GT, IPPROTO_UDP)}); // SCTP, MPTCP, ping of IPv6
    to.deny("socket", {int_is(0, family), int_is(2, IPPROTO_ICMP)});
  }
  to.deny("socketpair", {when(0, SCMP_CMP_NE, AF_UNIX)});
  for (uint64_t type : {SOCK_DGRAM, SOCK_RAW}) // a raw one is a datagram one
    to.deny("socketpair", {when(1, SCMP_CMP_MASKED_EQ, type_bits, type)});
}

/// What a program leaves in a granted folder must not run with the rights of its owner.
void deny_set_ids(builder& to) {
  struct {
    const char* call;
    unsigned mode; ///< which argument
  } constexpr calls[] = {{"chmod", 1}, {"fchmod", 1},  {"fchmodat", 2}, {"creat", 1},
                         {"mkdir", 1}, {"mkdirat", 2}, {"mknod", 1},    {"mknodat", 2}};
  for (uint64_t bit : {S_ISUID, S_ISGID}) {
    for (auto& one : calls)
      to.deny(one.call, {when(one.mode, SCMP_CMP_MASKED_EQ, bit, bit)});
    for (uint64_t makes : {uint64_t{O_CREAT}, uint64_t{O_TMPFILE & ~O_DIRECTORY}}) { // else the mode is anything
      to.deny("open", {when(1, SCMP_CMP_MASKED_EQ, makes, makes), when(2, SCMP_CMP_MASKED_EQ, bit, bit)});
      to.deny("openat", {when(2, SCMP_CMP_MASKED_EQ, makes, makes), when(3, SCMP_CMP_MASKED_EQ, bit, bit)});
    }
  }
}

void deny_everywhere(builder& to) {
  deny_sockets(to);
  deny_set_ids(to);
  for (auto name : denied)
    to.deny(name);
  for (auto name : unknown)
    to.deny(name, {}, ENOSYS);
  for (uint64_t flag :
       {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET})
    to.deny("clone", {when(0, SCMP_CMP_MASKED_EQ, flag, flag)});
  // Putting input into a terminal.
  for (uint64_t request : {TIOCSTI, TIOCLINUX})
    to.deny("ioctl", {int_is(1, request)});
  // By a descriptor for reading, a lease makes a process that opens the file for writing wait 45 s, the programs of the
  // user too; the other tells what they do in a folder.
  for (uint64_t command : {F_SETLEASE, F_NOTIFY})
    to.deny("fcntl", {int_is(1, command)});
}

void deny_on_the_host(builder& to) {
  for (auto name : denied_landlock_only)
    to.deny(name);
  // What a descriptor has to tell becomes a signal, which may be SIGKILL, to any process of the user.
  for (uint64_t command : {F_SETOWN, F_SETOWN_EX})
    to.deny("fcntl", {int_is(1, command)});
  for (uint64_t request : {FIOSETOWN, SIOCSPGRP})
    to.deny("ioctl", {int_is(1, request)});
  to.deny("clone", {when(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
  // Landlock before Linux 6.2 takes emptying a file that is opened to be read for reading.
  constexpr uint64_t to_read = O_ACCMODE | O_TRUNC;
  to.deny("open", {when(1, SCMP_CMP_MASKED_EQ, to_read, O_RDONLY | O_TRUNC)});
  to.deny("openat", {when(2, SCMP_CMP_MASKED_EQ, to_read, O_RDONLY | O_TRUNC)});
  to.deny("prlimit64", {when(0, SCMP_CMP_NE, 0)});
}

// ---- what libseccomp can not say ---------------------------------------------------------------

using instructions = std::vector<sock_filter>;

#if defined(__x86_64__)
constexpr uint32_t native = AUDIT_ARCH_X86_64;
constexpr uint32_t other_abi = 0x40000000; ///< x32: numbers from here on
#elif defined(__aarch64__)
constexpr uint32_t native = AUDIT_ARCH_AARCH64;
constexpr uint32_t other_abi = ~0u;
#else
#  error "which architecture do system calls report here?"
#endif

void load(instructions& to, size_t offset) {
  to.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
}
void give(instructions& to, uint32_t verdict) { to.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
void give_error(instructions& to, uint32_t error) { give(to, SECCOMP_RET_ERRNO | error); }

/// The first argument of this call, an int, is one of these, or the call is refused.
void only(instructions& to, uint32_t call, std::initializer_list<uint32_t> values) {
  auto count = static_cast<uint8_t>(values.size());
  load(to, offsetof(seccomp_data, nr));
  to.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, static_cast<uint8_t>(count + 2)));
  load(to, offsetof(seccomp_data, args)); // its low half: both architectures are little-endian
  for (auto value : values)
    to.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count--, 0));
  give_error(to, EPERM);
}

/// Comes first; what it lets pass goes on to the instructions of libseccomp.
instructions beginning(filter_profile profile) {
  instructions out;
  load(out, offsetof(seccomp_data, arch));
  out.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, native, 1, 0));
  give(out, SECCOMP_RET_KILL_PROCESS);
  load(out, offsetof(seccomp_data, nr));
  out.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, other_abi, 0, 1));
  give(out, SECCOMP_RET_KILL_PROCESS);
  out.push_back(BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, last_known_call, 0, 1));
  give_error(out, ENOSYS);
  only(out, SYS_personality, {0, ~0u});         // the ordinary one, and the question which one it is
  if (profile == filter_profile::landlock_only) // names of threads and of memory, and questions
    only(out, SYS_prctl, {PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_SET_VMA});
  return out;
}

msg::fault failed(const char* what, int error) {
  return {msg::errc::runtime_missing,
          std::string{"the filter of system calls can not be made: "} + what + ": " + std::strerror(error)};
}

process::descriptor memory_file() {
  return process::descriptor{::memfd_create("seccomp", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
}

} // namespace

msg::outcome<std::shared_ptr<process::descriptor>> make_filter(filter_profile profile) {
  builder rules;
  deny_everywhere(rules);
  if (profile == filter_profile::landlock_only)
    deny_on_the_host(rules);
  if (rules.problem() != 0)
    return failed("libseccomp", -rules.problem());
  auto file = std::make_shared<process::descriptor>(memory_file());
  if (!*file)
    return failed("memfd_create", errno);
  auto first = beginning(profile);
  auto size = first.size() * sizeof first[0];
  if (::write(file->get(), first.data(), size) != static_cast<ssize_t>(size))
    return failed("write", errno);
  if (auto result = rules.write_to(file->get()); result != 0)
    return failed("libseccomp", -result);
  if (::fcntl(file->get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
    return failed("sealing", errno);
  return file;
}

bool has_seccomp() {
  uint32_t wanted = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &wanted) == 0;
}

} // namespace sandbox
