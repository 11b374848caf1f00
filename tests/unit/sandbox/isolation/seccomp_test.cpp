#include "sandbox/isolation/seccomp.hpp"

#include "tests/unit/support/in_child.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <vector>

namespace sandbox_seccomp_test {

using sandbox::filter_profile;

std::vector<sock_filter> instructions(filter_profile profile) {
  auto file = sandbox::make_filter(profile);
  EXPECT_TRUE(file.ok()) << file.error.message;
  std::vector<sock_filter> out(BPF_MAXINSNS);
  auto size = ::pread(file.value->get(), out.data(), out.size() * sizeof out[0], 0);
  out.resize(size > 0 ? static_cast<size_t>(size) / sizeof out[0] : 0);
  return out;
}

constexpr int not_put_on = 255;

bool put_on(std::vector<sock_filter>& filter) {
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

class seccomp_test : public testing::TestWithParam<filter_profile> {
protected:
  /// The exit code of `work` under the filter.
  template <class F>
  static int under(filter_profile profile, F work) {
    auto filter = instructions(profile);
    return test::in_child([&] { return put_on(filter) ? work() : not_put_on; });
  }
  /// The error of a system call, 0 for success. `arguments` may be anything: the filter comes first.
  template <class... A>
  static int error_of(filter_profile profile, long call, A... arguments) {
    auto filter = instructions(profile);
    return test::in_sharing_child([&] {
      return !put_on(filter) ? not_put_on : ::syscall(call, arguments...) < 0 ? errno : 0;
    });
  }
  template <class... A>
  int error(long call, A... arguments) const {
    return error_of(GetParam(), call, arguments...);
  }
};

struct named_call {
  const char* name;
  long number;
};
#define CALL(name)                                                                                                     \
  { #name, SYS_##name }

TEST_P(seccomp_test, denies_what_no_guest_needs) {
  const named_call calls[] = {CALL(unshare),
                              CALL(setns),
                              CALL(mount),
                              CALL(umount2),
                              CALL(pivot_root),
                              CALL(chroot),
                              CALL(open_tree),
                              CALL(move_mount),
                              CALL(fsopen),
                              CALL(fsconfig),
                              CALL(fsmount),
                              CALL(fspick),
                              CALL(mount_setattr),
                              CALL(ptrace),
                              CALL(process_vm_readv),
                              CALL(process_vm_writev),
                              CALL(process_madvise),
                              CALL(kcmp),
                              CALL(pidfd_getfd),
                              CALL(perf_event_open),
                              CALL(bpf),
                              CALL(seccomp),
                              CALL(userfaultfd),
                              CALL(add_key),
                              CALL(request_key),
                              CALL(keyctl),
                              CALL(open_by_handle_at),
                              CALL(name_to_handle_at),
                              CALL(fanotify_init),
                              CALL(fanotify_mark),
                              CALL(quotactl),
                              CALL(kexec_load),
                              CALL(init_module),
                              CALL(finit_module),
                              CALL(delete_module),
                              CALL(reboot),
                              CALL(swapon),
                              CALL(swapoff),
                              CALL(acct),
                              CALL(syslog),
                              CALL(settimeofday),
                              CALL(clock_settime),
                              CALL(adjtimex),
                              CALL(sethostname),
                              CALL(setdomainname),
                              CALL(vhangup),
                              CALL(mbind),
                              CALL(migrate_pages),
                              CALL(move_pages),
                              CALL(set_mempolicy),
                              CALL(vmsplice),
                              CALL(remap_file_pages),
                              CALL(shmget),
                              CALL(msgget),
                              CALL(semget),
                              CALL(mq_open)};
  for (auto& c : calls)
    EXPECT_EQ(error(c.number, 0, 0, 0, 0, 0, 0), EPERM) << c.name;
}

#ifdef __x86_64__
TEST_P(seccomp_test, denies_what_only_this_architecture_has) {
  for (auto& c : {named_call CALL(iopl), CALL(ioperm), CALL(modify_ldt), CALL(uselib), CALL(kexec_file_load),
                  CALL(lookup_dcookie), CALL(sysfs)})
    EXPECT_EQ(error(c.number, 0, 0, 0, 0, 0, 0), EPERM) << c.name;
}

TEST_P(seccomp_test, other_abis_end_the_process) {
  constexpr long x32 = 0x40000000;
  EXPECT_EQ(error(x32 + SYS_getpid), 1'000 + SIGSYS);
  auto i386 = under(GetParam(), [] {
    long result = 20; // getpid
    asm volatile("int $0x80" : "+a"(result) : : "memory");
    return result > 0 ? 0 : 1;
  });
  EXPECT_EQ(i386, 1'000 + SIGSYS);
}
#endif

TEST_P(seccomp_test, what_libraries_try_first_does_not_exist) {
  for (auto& c : {named_call CALL(clone3), CALL(io_uring_setup), CALL(io_uring_enter), CALL(io_uring_register),
                  CALL(memfd_secret), CALL(memfd_create)})
    EXPECT_EQ(error(c.number, 0, 0, 0, 0, 0, 0), ENOSYS) << c.name;
}

TEST_P(seccomp_test, what_came_after_this_list_does_not_exist) {
  for (long call = SYS_set_mempolicy_home_node + 1; call < SYS_set_mempolicy_home_node + 40; ++call)
    EXPECT_EQ(error(call, 0, 0, 0, 0, 0, 0), ENOSYS) << call;
  EXPECT_EQ(error(0x3fffffff), ENOSYS);
}

TEST_P(seccomp_test, no_process_in_other_namespaces) {
  for (long flag :
       {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET}) {
    EXPECT_EQ(error(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0), EPERM) << flag;
    EXPECT_EQ(error(SYS_clone, flag | SIGCHLD | CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0, 0), EPERM) << flag;
  }
}

TEST_P(seccomp_test, threads_work) {
  EXPECT_EQ(under(GetParam(),
                  [] {
                    pthread_t thread;
                    auto work = [](void*) -> void* { return nullptr; };
                    return ::pthread_create(&thread, nullptr, work, nullptr) == 0
                               && ::pthread_join(thread, nullptr) == 0
                             ? 0
                             : 1;
                  }),
            0);
}

TEST_P(seccomp_test, no_input_into_terminals) {
  for (unsigned long high : {0ul, 1ul << 32}) // the kernel ignores the high half, and so must the filter
    for (unsigned long request : {static_cast<unsigned long>(TIOCSTI), static_cast<unsigned long>(TIOCLINUX)})
      EXPECT_EQ(error(SYS_ioctl, 0, high | request, 0), EPERM) << request << " " << high;
  EXPECT_NE(error(SYS_ioctl, -1, FIONREAD, 0), EPERM);
}

TEST_P(seccomp_test, no_file_is_held_up_or_watched) {
  for (long command : {F_SETLEASE, F_NOTIFY})
    for (long bits : {0l, 1l << 32})
      EXPECT_EQ(error(SYS_fcntl, -1, bits | command, F_RDLCK), EPERM) << command << " " << bits;
  for (long command : {F_DUPFD, F_DUPFD_CLOEXEC, F_SETFD, F_SETFL, F_SETLK, F_OFD_SETLK, F_GETLEASE, F_GETPIPE_SZ,
                       F_SETPIPE_SZ, F_ADD_SEALS})
    EXPECT_EQ(error(SYS_fcntl, -1, command, 0), EBADF) << command;
}

TEST_P(seccomp_test, the_ordinary_personality_only) {
  EXPECT_EQ(error(SYS_personality, 0xffffffff), 0) << "the question";
  EXPECT_EQ(error(SYS_personality, PER_LINUX), 0);
  EXPECT_EQ(error(SYS_personality, ADDR_NO_RANDOMIZE), EPERM);
  EXPECT_EQ(error(SYS_personality, PER_LINUX32), EPERM);
}

TEST_P(seccomp_test, ordinary_calls_work) {
  EXPECT_EQ(error(SYS_getpid), 0);
  EXPECT_EQ(error(SYS_sched_yield), 0);
  EXPECT_EQ(error(SYS_landlock_create_ruleset, 0, 0, 1), 0);
  EXPECT_EQ(error(SYS_prlimit64, 0, 7, 0, 0), 0);
  std::array<int, 2> pair{};
  EXPECT_EQ(error(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY), 0);
}

INSTANTIATE_TEST_SUITE_P(profiles, seccomp_test, testing::Values(filter_profile::boxed, filter_profile::landlock_only),
                         [](auto& info) { return info.param == filter_profile::boxed ? "boxed" : "bare"; });

constexpr long high = 1l << 32; ///< ignored by the kernel in an int

class boxed_filter : public seccomp_test {
protected:
  static int socket(long family, long type, long protocol = 0) {
    return error_of(filter_profile::boxed, SYS_socket, family, type, protocol);
  }
};

TEST_F(boxed_filter, allows_ordinary_sockets) {
  for (long family : {AF_INET, AF_INET6})
    for (long type : std::initializer_list<long>{SOCK_STREAM, SOCK_DGRAM, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK})
      EXPECT_EQ(socket(family, type), 0) << family << " " << type;
  EXPECT_EQ(socket(AF_INET, SOCK_STREAM, IPPROTO_TCP), 0);
  EXPECT_EQ(socket(AF_INET6, SOCK_DGRAM, IPPROTO_UDP), 0);
}

TEST_F(boxed_filter, denies_raw_and_packet_sockets_and_rare_protocols) {
  for (long family : {AF_INET, AF_INET6})
    for (long type : {SOCK_RAW, SOCK_RDM, SOCK_SEQPACKET, SOCK_DCCP, SOCK_PACKET})
      for (long flags : {0l, static_cast<long>(SOCK_CLOEXEC), high})
        EXPECT_EQ(socket(family, type | flags), EPERM) << family << " " << type;
  for (long protocol : std::initializer_list<long>{IPPROTO_ICMP, IPPROTO_ICMPV6, IPPROTO_SCTP, IPPROTO_UDPLITE,
                                                   IPPROTO_MPTCP, IPPROTO_RAW})
    EXPECT_EQ(socket(AF_INET, SOCK_STREAM, protocol), EPERM) << protocol;
}

TEST_F(boxed_filter, denies_every_other_family) {
  for (long family = 0; family < 64; ++family)
    if (family != AF_INET && family != AF_INET6) {
      EXPECT_EQ(socket(family, SOCK_STREAM), EPERM) << family;
      EXPECT_EQ(socket(family, SOCK_DGRAM), EPERM) << family;
    }
  EXPECT_EQ(socket(AF_VSOCK | high, SOCK_STREAM), EPERM);
  EXPECT_EQ(error_of(filter_profile::boxed, SYS_socketpair, AF_TIPC, SOCK_STREAM, 0, 0), EPERM);
}

TEST_P(seccomp_test, pairs_of_sockets_can_not_reach_others) {
  EXPECT_EQ(error(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0), EFAULT);
  for (long type : std::initializer_list<long>{SOCK_DGRAM, SOCK_RAW, SOCK_DGRAM | SOCK_CLOEXEC, SOCK_DGRAM | high})
    EXPECT_EQ(error(SYS_socketpair, AF_UNIX, type, 0, 0), EPERM) << type;
}

TEST_P(seccomp_test, no_file_gets_the_rights_of_its_owner) {
  for (long mode : {04755l, 02755l, 06000l, 04000l | high}) {
    EXPECT_EQ(error(SYS_fchmod, -1, mode), EPERM) << mode;
    EXPECT_EQ(error(SYS_fchmodat, AT_FDCWD, "/nowhere/x", mode), EPERM) << mode;
#ifdef __x86_64__ // other machines never had these
    EXPECT_EQ(error(SYS_chmod, "/nowhere/x", mode), EPERM) << mode;
    EXPECT_EQ(error(SYS_mkdir, "/nowhere/x", mode), EPERM) << mode;
    EXPECT_EQ(error(SYS_mknod, "/nowhere/x", S_IFREG | mode, 0), EPERM) << mode;
    EXPECT_EQ(error(SYS_creat, "/nowhere/x", mode), EPERM) << mode;
    EXPECT_EQ(error(SYS_open, "/nowhere/x", O_CREAT | O_WRONLY, mode), EPERM) << mode;
#endif
    EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/nowhere/x", O_CREAT | O_WRONLY, mode), EPERM) << mode;
    EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/nowhere", O_TMPFILE | O_WRONLY, mode), EPERM) << mode;
    EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/nowhere/x", O_RDONLY, mode), ENOENT) << "nobody looks at it";
  }
  EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/nowhere/x", O_CREAT | O_WRONLY, 0666), ENOENT);
  EXPECT_EQ(error(SYS_openat2, AT_FDCWD, "/nowhere/x", nullptr, 0), ENOSYS);
}

TEST_F(boxed_filter, denies_what_is_counted_for_all_namespaces) {
  const named_call calls[] = {
    CALL(io_setup),     CALL(io_submit), CALL(inotify_init1), CALL(inotify_add_watch), CALL(sendmsg), CALL(sendmmsg),
#ifdef __x86_64__
    CALL(inotify_init),
#endif
  };
  for (auto profile : {filter_profile::boxed, filter_profile::landlock_only})
    for (auto& c : calls)
      EXPECT_EQ(error_of(profile, c.number, 0, 0, 0, 0, 0, 0), EPERM) << c.name;
}

TEST_F(boxed_filter, allows_processes_signals_and_metadata) {
  EXPECT_EQ(under(filter_profile::boxed,
                  [] {
                    auto child = ::fork();
                    if (child == 0)
                      ::_exit(::kill(::getpid(), 0));
                    int status = 1;
                    ::waitpid(child, &status, 0);
                    return status;
                  }),
            0);
  EXPECT_EQ(error_of(filter_profile::boxed, SYS_fchmod, -1, 0), EBADF);
  EXPECT_EQ(error_of(filter_profile::boxed, SYS_prctl, PR_SET_DUMPABLE, 1), 0);
}

class landlock_only_filter : public seccomp_test {
protected:
  template <class... A>
  static int error(long call, A... arguments) {
    return error_of(filter_profile::landlock_only, call, arguments...);
  }
};

TEST_F(landlock_only_filter, denies_everything_beyond_its_own_process) {
  const named_call calls[] = {CALL(kill),
                              CALL(tkill),
                              CALL(tgkill),
                              CALL(rt_sigqueueinfo),
                              CALL(pidfd_open),
                              CALL(setsid),
                              CALL(setpgid),
                              CALL(execveat),
                              CALL(sched_setaffinity),
                              CALL(sched_setscheduler),
                              CALL(socket),
                              CALL(connect),
                              CALL(bind),
                              CALL(listen),
                              CALL(accept4),
                              CALL(truncate),
                              CALL(fchmodat),
                              CALL(fchmod),
                              CALL(fchownat),
                              CALL(utimensat),
                              CALL(setxattr),
                              CALL(removexattr)};
  for (auto& c : calls)
    EXPECT_EQ(error(c.number, 0, 0, 0, 0, 0, 0), EPERM) << c.name;
  EXPECT_EQ(error(SYS_prlimit64, 1, 7, 0, 0), EPERM);
}

TEST_F(landlock_only_filter, descriptors_signal_nobody) {
  for (long bits : {0l, high}) {
    for (long command : {F_SETOWN, F_SETOWN_EX})
      EXPECT_EQ(error(SYS_fcntl, -1, bits | command, 1), EPERM) << command;
    for (long request : {FIOSETOWN, SIOCSPGRP})
      EXPECT_EQ(error(SYS_ioctl, -1, bits | request, 0), EPERM) << request;
  }
  EXPECT_EQ(error_of(filter_profile::boxed, SYS_fcntl, -1, F_SETOWN, 1), EBADF)
    << "no process of the host has a number there";
}

TEST_F(landlock_only_filter, nothing_is_emptied_that_is_opened_to_be_read) {
  for (long bits : {0l, high}) {
#ifdef __x86_64__
    EXPECT_EQ(error(SYS_open, "/dev/null", bits | O_RDONLY | O_TRUNC | O_CLOEXEC), EPERM);
#endif
    EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/dev/null", bits | O_RDONLY | O_TRUNC), EPERM);
  }
  EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY), 0);
  EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_TRUNC), 0) << "which Landlock looks at";
}

TEST_F(landlock_only_filter, denies_new_processes) {
  EXPECT_EQ(error(SYS_clone, SIGCHLD, 0, 0, 0, 0), EPERM);
  EXPECT_EQ(error(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0), EPERM);
}

TEST_F(landlock_only_filter, allows_only_harmless_prctls) {
  EXPECT_EQ(error(SYS_prctl, PR_SET_NAME, "x", 0, 0, 0), 0);
  for (long operation :
       {PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_SECCOMP, PR_SET_MM, PR_SET_CHILD_SUBREAPER})
    EXPECT_EQ(error(SYS_prctl, operation, 0, 0, 0, 0), EPERM) << operation;
}

TEST(filter_file, can_not_be_changed) {
  auto file = sandbox::make_filter(filter_profile::boxed);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(::pwrite(file.value->get(), "x", 1, 0), -1);
  EXPECT_EQ(::ftruncate(file.value->get(), 0), -1);
  EXPECT_TRUE(::fcntl(file.value->get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(sandbox::has_seccomp());
}

} // namespace sandbox_seccomp_test
