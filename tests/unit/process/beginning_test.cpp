#include "process/beginning.hpp"

#include "process/child.hpp"
#include "tests/unit/support/in_child.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

namespace process_beginning_test {

constexpr int as_expected = 7, cannot_start = 100, never_ends = 101, wrong_limit = 102, wrong_signals = 103;

rlimit open_files() {
  rlimit now{};
  ::getrlimit(RLIMIT_NOFILE, &now);
  return now;
}

/// The exit code of `sh -c script`.
int shell(const std::string& script) {
  asio::io_context io;
  process::launch what;
  what.argv = {"/bin/sh", "-c", script};
  auto child = process::start(io.get_executor(), what);
  if (!child.ok())
    return cannot_start;
  pollfd death{child.value->pidfd.native_handle(), POLLIN, 0};
  return ::poll(&death, 1, 10'000) == 1 ? child.value->reap().code : never_ends;
}

TEST(beginning, the_end_of_a_child_is_told_also_when_our_parent_did_not_want_to_know) {
  auto code = test::in_child([] {
    std::signal(SIGCHLD, SIG_IGN);
    process::begin_process();
    return shell("exit 7");
  });
  EXPECT_EQ(code, as_expected);
}

TEST(beginning, no_signal_is_blocked) {
  auto code = test::in_child([] {
    sigset_t all, now;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    process::begin_process();
    ::sigprocmask(SIG_SETMASK, nullptr, &now);
    return sigismember(&now, SIGTERM) == 0 && sigismember(&now, SIGCHLD) == 0 ? as_expected : wrong_signals;
  });
  EXPECT_EQ(code, as_expected);
}

TEST(beginning, we_may_have_as_many_descriptors_as_there_are_and_children_as_many_as_before) {
  auto code = test::in_child([] {
    rlimit few{64, open_files().rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    process::begin_process();
    if (open_files().rlim_cur != few.rlim_max)
      return wrong_limit;
    for (int i = 0; i < 100; ++i)
      ::open("/dev/null", O_RDONLY | O_CLOEXEC); // numbers that the child may not reach
    return shell("test $(ulimit -Sn) = 64 && exit 7");
  });
  EXPECT_EQ(code, as_expected);
}

TEST(beginning, no_pipe_of_ours_becomes_a_standard_descriptor) {
  auto code = test::in_child([] {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd)
      ::close(fd);
    process::begin_process();
    process::descriptor next{::open("/dev/null", O_RDONLY)};
    return next.get() > STDERR_FILENO ? as_expected : next.get();
  });
  EXPECT_EQ(code, as_expected);
}

} // namespace process_beginning_test
