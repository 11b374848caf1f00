#include "process/guardian.hpp"

#include "process/child.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/in_child.hpp"
#include "tests/unit/support/processes.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace process_guardian_test {

using test::alive, test::gone_soon;

enum class order : uint8_t { nothing, watch, watch_and_forget, watch_many };

/// A process of its own starts a shell that starts a sleep, tells the guardian, writes both pids to `report`, and dies
/// by SIGKILL. The sleep is a grandchild: the kernel does not end it with its grandfather.
[[noreturn]] void live_and_die(int report, order what_to_do) {
  asio::io_context io;
  process::guardian guardian;
  auto out = process::make_pipe();
  process::launch what;
  what.argv = {"/bin/sh", "-c", "sleep 1000 & echo $!; wait"};
  what.environment = {"PATH=/usr/bin:/bin"};
  what.descriptors = {{out.write.get(), 1}};
  if (what_to_do == order::watch_many)
    for (pid_t group = 1'000'000'000; group < 1'000'000'200; ++group) // beyond any real pid
      guardian.watch(group);
  auto c = process::start(io.get_executor(), what);
  if (!c.ok())
    ::_exit(1);
  if (what_to_do != order::nothing)
    guardian.watch(c.value->pid());
  if (what_to_do == order::watch_and_forget)
    guardian.forget(c.value->pid());
  char grandchild[32] = {};
  if (::read(out.read.get(), grandchild, sizeof grandchild - 1) <= 0)
    ::_exit(1);
  auto text = std::to_string(c.value->pid()) + " " + grandchild;
  [[maybe_unused]] auto n = ::write(report, text.data(), text.size());
  ::raise(SIGKILL);
  ::_exit(1);
}

struct pids {
  pid_t child = 0, grandchild = 0;
};

pids after_death(order what_to_do) {
  auto report = process::make_pipe();
  auto pid = ::fork();
  if (pid == 0)
    live_and_die(report.write.get(), what_to_do);
  report.write = process::descriptor{};
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  char text[64] = {};
  EXPECT_GT(::read(report.read.get(), text, sizeof text - 1), 0);
  pids out;
  EXPECT_EQ(std::sscanf(text, "%d %d", &out.child, &out.grandchild), 2) << text;
  return out;
}

TEST(guardian, ends_the_whole_group_when_we_are_killed) {
  auto p = after_death(order::watch);
  EXPECT_TRUE(gone_soon(p.child));
  EXPECT_TRUE(gone_soon(p.grandchild)) << "the grandchild " << p.grandchild << " lives on";
}

TEST(guardian, watches_every_child_that_is_started) {
  auto p = after_death(order::nothing);
  EXPECT_TRUE(gone_soon(p.child));
  EXPECT_TRUE(gone_soon(p.grandchild));
}

TEST(guardian, ends_one_group_of_many) {
  auto p = after_death(order::watch_many);
  EXPECT_TRUE(gone_soon(p.grandchild));
}

TEST(guardian, leaves_forgotten_groups_alone) {
  auto p = after_death(order::watch_and_forget);
  EXPECT_TRUE(gone_soon(p.child)) << "the kernel ends it";
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  EXPECT_TRUE(alive(p.grandchild)) << "its number might be another's by now";
  ::kill(p.grandchild, SIGKILL);
}

TEST(guardian, ends_with_us_and_is_reaped) {
  {
    process::guardian guardian;
    guardian.watch(1'000'000'000);
    guardian.forget(1'000'000'000);
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "its helper was left behind";
}

TEST(guardian, starts_nothing_before_there_is_something_to_guard) {
  process::guardian guardian;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(guardian, does_not_hold_our_descriptors) {
  auto ends = process::make_pipe();
  process::guardian guardian;
  guardian.watch(1'000'000'000);
  ends.write = process::descriptor{};
  char c;
  EXPECT_EQ(::read(ends.read.get(), &c, 1), 0) << "the helper keeps a pipe open";
}

TEST(guardian, a_dead_helper_does_not_end_us) {
  std::signal(SIGPIPE, SIG_IGN);
  process::guardian guardian;
  guardian.watch(1'000'000'000);
  auto children = std::ifstream{"/proc/self/task/" + std::to_string(::getpid()) + "/children"};
  pid_t helper = 0;
  children >> helper;
  ASSERT_GT(helper, 0);
  ::kill(helper, SIGKILL);
  EXPECT_TRUE(gone_soon(helper));
  guardian.watch(1'000'000'001);
  guardian.forget(1'000'000'000);
}

TEST(guardian, without_one_nothing_is_started) {
  constexpr int refused = 7, started = 8, left_running = 9;
  auto code = test::in_child([] {
    asio::io_context io;
    process::guardian guardian;
    rlimit few{64, 64};
    ::setrlimit(RLIMIT_NOFILE, &few);
    while (::open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
      ;
    process::launch what;
    what.argv = {"/bin/sleep", "1000"};
    if (process::start(io.get_executor(), what).ok())
      return started;
    return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD ? refused : left_running;
  });
  EXPECT_EQ(code, refused);
}

} // namespace process_guardian_test
