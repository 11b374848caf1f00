#include "process/child.hpp"

#include "testing/coroutines.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/processes.hpp"

#include <asio/experimental/as_tuple.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace process_child_test {

using process::exit_status;

using test::alive, test::gone_soon;

size_t open_descriptors() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {}));
}

class child_test : public testing::Test {
protected:
  /// `sh -c script` with its stdout on a pipe.
  process::launch shell(const std::string& script) {
    out_ = process::make_pipe();
    process::launch what;
    what.argv = {"/bin/sh", "-c", script};
    what.environment = {"PATH=/usr/bin:/bin"};
    what.descriptors = {{out_.write.get(), 1}};
    return what;
  }
  std::unique_ptr<process::child> started(const process::launch& what) {
    auto c = process::start(io_.get_executor(), what);
    EXPECT_TRUE(c.ok()) << c.error.message;
    out_.write = process::descriptor{};
    return std::move(c.value);
  }
  std::string output() {
    std::string all;
    char chunk[4096];
    for (ssize_t n; (n = ::read(out_.read.get(), chunk, sizeof chunk)) > 0;)
      all.append(chunk, static_cast<size_t>(n));
    return all;
  }
  static int niceness() { return ::getpriority(PRIO_PROCESS, 0); }
  exit_status wait(process::child& c) {
    auto death = [&]() -> asio::awaitable<bool> {
      constexpr auto no_throw = asio::experimental::as_tuple(asio::use_awaitable);
      auto [ec] = co_await c.pidfd.async_wait(asio::posix::descriptor_base::wait_read, no_throw);
      co_return !ec;
    };
    EXPECT_TRUE(test::run(io_, death()));
    return c.reap();
  }
  std::string output_of(const process::launch& what) {
    auto c = started(what);
    if (!c)
      return "not started";
    auto text = output();
    wait(*c);
    return text;
  }

  asio::io_context io_;
  process::pipe_ends out_;
};

TEST_F(child_test, is_as_nice_as_it_is_told) {
  for (int more : {0, 7}) {
    auto in = process::make_pipe();
    auto what = shell("read started; nice"); // it is made so once it has started
    what.descriptors.emplace_back(in.read.get(), 0);
    what.niceness = more;
    auto c = started(what);
    EXPECT_EQ(::write(in.write.get(), "\n", 1), 1);
    EXPECT_EQ(output(), std::to_string(niceness() + more) + "\n");
    wait(*c);
  }
}

TEST_F(child_test, prints_and_ends) {
  auto c = started(shell("echo hello"));
  EXPECT_EQ(output(), "hello\n");
  auto status = wait(*c);
  EXPECT_FALSE(status.by_signal);
  EXPECT_EQ(status.code, 0);
  EXPECT_EQ(status.text(), "exit code 0");
}

TEST_F(child_test, tells_every_exit_code) {
  for (int code : {0, 1, 2, 71, 127, 255}) {
    auto status = wait(*started(shell("exit " + std::to_string(code))));
    EXPECT_FALSE(status.by_signal);
    EXPECT_EQ(status.code, code);
  }
}

TEST_F(child_test, tells_which_signal_ended_it) {
  for (int signal : {SIGTERM, SIGKILL, SIGHUP, SIGUSR1}) {
    auto c = started(shell("exec sleep 100"));
    c->kill(signal);
    auto status = wait(*c);
    EXPECT_TRUE(status.by_signal);
    EXPECT_EQ(status.code, signal);
    EXPECT_TRUE(status.text().starts_with("signal " + std::to_string(signal) + " (")) << status.text();
  }
}

TEST_F(child_test, starts_with_default_signals_even_if_ours_are_not) {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto text = output_of(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_FALSE(sigismember(&now, SIGTERM)) << "our own mask is back";
}

TEST_F(child_test, says_what_can_not_be_started_and_why) {
  test::folder folder;
  auto no_program = folder.write("no-program", "text");
  struct {
    std::string path;
    const char* why;
  } const cases[] = {{folder.path("missing"), "No such file or directory"},
                     {no_program, "Permission denied"},
                     {folder.path(), "Permission denied"},
                     {folder.write_program("format", "\x01\x02\x03"), "Exec format error"},
                     {folder.path("no-program/x"), "Not a directory"}};
  for (auto& c : cases) {
    process::launch what;
    what.argv = {c.path};
    auto outcome = process::start(io_.get_executor(), what);
    ASSERT_FALSE(outcome.ok()) << c.path;
    EXPECT_EQ(outcome.error.code, msg::errc::server_start_failed);
    EXPECT_EQ(outcome.error.message, "cannot start " + c.path + ": " + c.why);
    EXPECT_FALSE(outcome.value);
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a failed start left a zombie";
}

TEST_F(child_test, works_in_the_given_folder) {
  test::folder folder;
  auto what = shell("pwd");
  what.cwd = folder.path();
  EXPECT_EQ(output_of(what), folder.path() + "\n");
  what = shell("pwd");
  EXPECT_EQ(output_of(what), std::filesystem::current_path().string() + "\n");
}

TEST_F(child_test, says_when_the_folder_is_missing) {
  test::folder folder;
  auto what = shell("pwd");
  what.cwd = folder.path("missing");
  auto outcome = process::start(io_.get_executor(), what);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error.message, "cannot start working directory " + what.cwd.text() + ": No such file or directory");
}

TEST_F(child_test, has_exactly_the_environment_it_was_given) {
  ::setenv("CODE_EXECUTOR_TEST_SECRET", "s3cret", 1);
  auto what = shell("");
  what.argv = {"/usr/bin/env"};
  what.environment = {"B=2", "A=1", "EMPTY=", "LONG=" + std::string(10'000, 'x')};
  EXPECT_EQ(output_of(what), "B=2\nA=1\nEMPTY=\nLONG=" + std::string(10'000, 'x') + "\n");
  what = shell("");
  what.argv = {"/usr/bin/env"};
  what.environment = {};
  EXPECT_EQ(output_of(what), "");
}

TEST_F(child_test, passes_arguments_untouched) {
  auto what = shell("");
  what.argv = {"/usr/bin/printf", "[%s]", "a b", "$HOME", "", "'\"", "-x", "é"};
  EXPECT_EQ(output_of(what), "[a b][$HOME][][\'\"][-x][é]");
}

TEST_F(child_test, has_only_the_descriptors_it_was_given) {
  // Not close-on-exec.
  int leaks[] = {::open("/dev/null", O_RDONLY), ::open("/dev/null", O_RDONLY), ::fcntl(0, F_DUPFD, 50)};
  auto other = process::make_pipe();
  auto what = shell("");
  what.argv = {"/bin/ls", "/proc/self/fd"}; // ls opens one more to read the folder
  EXPECT_EQ(output_of(what), "0\n1\n");     // 0: the folder itself, as the first free number
  what = shell("");
  what.argv = {"/bin/ls", "/proc/self/fd"};
  what.descriptors.emplace_back(other.read.get(), 0);
  what.descriptors.emplace_back(other.write.get(), 7);
  EXPECT_EQ(output_of(what), "0\n1\n2\n7\n"); // 2: the folder
  for (int fd : leaks)
    ::close(fd);
}

TEST_F(child_test, can_swap_descriptors) {
  auto a = process::make_pipe(), b = process::make_pipe();
  auto what = shell("echo to-a >&3; echo to-b >&4");
  // whatever numbers the pipes have: each may be the target of the other
  what.descriptors = {{b.write.get(), 4}, {a.write.get(), 3}};
  auto c = started(what);
  wait(*c);
  char text[16] = {};
  ASSERT_GT(::read(a.read.get(), text, sizeof text), 0);
  EXPECT_STREQ(text, "to-a\n");
  ASSERT_GT(::read(b.read.get(), text, sizeof text), 0);
  EXPECT_STREQ(text, "to-b\n");
}

TEST_F(child_test, leads_a_group_of_its_own) {
  auto c = started(shell("ps -o pgid= -p $$ | tr -d ' '"));
  auto text = output();
  EXPECT_EQ(text, std::to_string(c->pid()) + "\n");
  EXPECT_NE(c->pid(), ::getpgrp());
  wait(*c);
}

TEST_F(child_test, destroying_it_kills_the_whole_group) {
  auto c = started(shell("sleep 1000 & echo $!; trap '' TERM; sleep 1000"));
  pid_t grandchild = 0;
  char text[32] = {};
  ASSERT_GT(::read(out_.read.get(), text, sizeof text - 1), 0);
  grandchild = std::stoi(text);
  auto pid = c->pid();
  EXPECT_TRUE(alive(pid));
  EXPECT_TRUE(alive(grandchild));
  c.reset();
  EXPECT_TRUE(gone_soon(pid));
  EXPECT_TRUE(gone_soon(grandchild));
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1) << "it was not reaped";
}

TEST_F(child_test, reaping_it_kills_what_is_left_of_the_group) {
  auto c = started(shell("sleep 1000 & echo $!"));
  char text[32] = {};
  ASSERT_GT(::read(out_.read.get(), text, sizeof text - 1), 0);
  pid_t grandchild = std::stoi(text);
  auto status = wait(*c);
  EXPECT_EQ(status.code, 0);
  EXPECT_TRUE(gone_soon(grandchild));
  c->kill(SIGTERM); // harmless: its number may be another's by now
}

TEST_F(child_test, fifty_starts_leak_neither_descriptors_nor_zombies) {
  { // what asio opens once
    auto c = started(shell("exit 0"));
    wait(*c);
  }
  out_ = {};
  auto before = open_descriptors();
  for (int i = 0; i < 50; ++i) {
    auto c = started(shell("exit 0"));
    if (i % 2 == 0)
      wait(*c);
    process::launch missing;
    missing.argv = {"/nowhere/program"};
    EXPECT_FALSE(process::start(io_.get_executor(), missing).ok());
  }
  out_ = {};
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(child_test, can_become_somebody_else) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root";
  auto what = shell("id -u; id -g; grep NoNewPrivs /proc/self/status >/dev/null; id -G");
  what.user = 65534;
  EXPECT_EQ(output_of(what), "65534\n65534\n65534\n");
}

/// Forks a process of this program that does `work` and is then killed; gives what it wrote.
template <class Work>
std::string in_a_process_that_is_killed(Work work) {
  auto report = process::make_pipe();
  auto pid = ::fork();
  if (pid == 0) {
    work(report.write.get());
    ::raise(SIGKILL);
  }
  report.write = process::descriptor{};
  ::waitpid(pid, nullptr, 0);
  char text[64] = {};
  auto n = ::read(report.read.get(), text, sizeof text - 1);
  return {text, static_cast<size_t>(std::max<ssize_t>(n, 0))};
}

TEST_F(child_test, dies_with_us_even_by_sigkill) {
  auto text = in_a_process_that_is_killed([](int report) {
    asio::io_context io;
    process::launch what;
    what.argv = {"/bin/sleep", "1000"};
    auto c = process::start(io.get_executor(), what);
    auto pid = std::to_string(c.ok() ? c.value->pid() : 0);
    [[maybe_unused]] auto n = ::write(report, pid.data(), pid.size());
    ::raise(SIGKILL);
  });
  ASSERT_GT(std::atoi(text.c_str()), 0);
  EXPECT_TRUE(gone_soon(std::atoi(text.c_str())));
}

TEST_F(child_test, detached_outlives_us) {
  auto text = in_a_process_that_is_killed([](int report) {
    process::launch what;
    what.argv = {
      "/bin/sh", "-c",
      "while kill -0 $STARTER 2>/dev/null && [ $(cut -d' ' -f3 /proc/$STARTER/stat) != Z ]; do :; done; echo alone"};
    what.environment = {"PATH=/usr/bin:/bin", "STARTER=" + std::to_string(::getpid())};
    what.descriptors = {{report, 1}};
    if (!process::start_detached(what)) [[maybe_unused]]
      auto n = ::write(report, "failed", 6);
    ::raise(SIGKILL);
  });
  EXPECT_EQ(text, "alone\n");
}

TEST_F(child_test, detached_leaves_no_zombie) {
  auto what = shell("echo done");
  EXPECT_TRUE(process::start_detached(what));
  out_.write = process::descriptor{};
  EXPECT_EQ(output(), "done\n");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(exit_status, says_what_happened) {
  EXPECT_EQ((exit_status{false, 3}.text()), "exit code 3");
  EXPECT_EQ((exit_status{true, SIGKILL}.text()), "signal 9 (Killed)");
}

TEST(descriptor, closes_once) {
  int fd = -1;
  {
    auto ends = process::make_pipe();
    fd = ends.read.get();
    process::descriptor moved{std::move(ends.read)};
    EXPECT_FALSE(ends.read);
    EXPECT_EQ(moved.get(), fd);
    EXPECT_NE(::fcntl(fd, F_GETFD), -1);
  }
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
}

TEST(descriptor, ends_of_pipes_and_sockets_are_closed_on_exec) {
  auto pipe = process::make_pipe();
  auto [a, b] = process::make_socket_pair();
  for (auto* d : {&pipe.read, &pipe.write, &a, &b})
    EXPECT_TRUE(::fcntl(d->get(), F_GETFD) & FD_CLOEXEC);
}

TEST_F(child_test, a_text_with_a_nul_is_not_taken_for_what_stands_before_it) {
  const std::string cut{"/bin/sh\0more", 12};
  auto plain = shell("echo started");
  auto program = plain, argument = plain, variable = plain, folder = plain;
  program.argv[0] = cut;
  argument.argv.push_back(cut);
  variable.environment.push_back("A=" + cut);
  folder.cwd = std::string{"/\0tmp", 5};
  for (auto* what : {&program, &argument, &variable, &folder}) {
    auto outcome = process::start(io_.get_executor(), *what);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error.code, msg::errc::invalid_argument);
    EXPECT_NE(outcome.error.message.find("a NUL character"), std::string::npos) << outcome.error.message;
    EXPECT_FALSE(process::start_detached(*what));
  }
  EXPECT_EQ(process::c_text{cut}.text(), "") << "not even its beginning is there to be used";
  EXPECT_FALSE(process::c_text{cut} == process::c_text{});
}

} // namespace process_child_test
