#include "sandbox/launch/prespawned_process.hpp"

#include "testing/folder.hpp"
#include "tests/unit/support/places.hpp"
#include "tests/unit/support/processes.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace process_prespawned_process_test {

class prespawned_process_test : public testing::Test {
protected:
  std::unique_ptr<process::prespawned_process> started(const std::vector<int>& joins = {}) {
    auto waiting = process::prespawned_process::start(io_.get_executor(), test::guest_exec(), joins);
    EXPECT_TRUE(waiting.ok()) << waiting.error.message;
    return std::move(waiting.value);
  }
  /// `sh -c script` with stdout and stderr on a pipe.
  process::launch shell(const std::string& script) {
    out_ = process::make_pipe();
    process::launch what;
    what.argv = {"/bin/sh", "-c", script};
    what.descriptors = {{out_.write.get(), 1}, {out_.write.get(), 2}};
    return what;
  }
  std::string output() {
    out_.write = {};
    std::string all;
    char chunk[4096];
    for (ssize_t n; (n = ::read(out_.read.get(), chunk, sizeof chunk)) > 0;)
      all.append(chunk, static_cast<size_t>(n));
    return all;
  }
  static process::exit_status wait(process::child& c) {
    pollfd death{c.pidfd.native_handle(), POLLIN, 0};
    EXPECT_EQ(::poll(&death, 1, 20'000), 1);
    return c.reap();
  }
  std::string output_of(const process::launch& what, const std::vector<int>& joins = {}) {
    auto child = started(joins)->exec(what);
    EXPECT_TRUE(child.ok()) << child.error.message;
    auto text = output();
    wait(*child.value);
    return text;
  }
  asio::io_context io_;
  process::pipe_ends out_;
};

TEST_F(prespawned_process_test, becomes_what_it_is_told) {
  auto what = shell("echo \"$0 $1\" \"$A\"; env; exit 3");
  what.argv.insert(what.argv.end(), {"first", "with space"});
  what.environment = {"A=b c"};
  auto waiting = started();
  auto child = waiting->exec(what);
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(output(), "first with space b c\nA=b c\nPWD=" + std::filesystem::current_path().string() + "\n");
  EXPECT_EQ(wait(*child.value).code, 3);
}

TEST_F(prespawned_process_test, is_the_same_process_and_leads_a_group) {
  auto waiting = started();
  auto child = waiting->exec(shell("echo $$; ps -o pgid= -p $$ | tr -d ' '"));
  ASSERT_TRUE(child.ok());
  auto pid = std::to_string(child.value->pid());
  EXPECT_EQ(output(), pid + "\n" + pid + "\n");
  wait(*child.value);
}

TEST_F(prespawned_process_test, has_only_the_descriptors_it_was_given) {
  auto a = process::make_pipe();
  auto what = shell("");
  what.argv = {"/bin/ls", "/proc/self/fd"};
  what.descriptors.emplace_back(a.read.get(), 0);
  what.descriptors.emplace_back(a.write.get(), 7);
  EXPECT_EQ(output_of(what), "0\n1\n2\n3\n7\n"); // 3: the folder that ls reads
}

TEST_F(prespawned_process_test, has_more_descriptors_than_one_message_takes) {
  auto a = process::make_pipe();
  auto what = shell("ls /proc/self/fd | wc -l; readlink /proc/self/fd/7 /proc/self/fd/640 | uniq | wc -l");
  for (int number = 3; number <= 640; ++number)
    what.descriptors.emplace_back(a.read.get(), number);
  EXPECT_EQ(output_of(what), "641\n1\n"); // 1, 2, those, and the folder that ls reads, which took 0
}

TEST_F(prespawned_process_test, works_in_the_given_folder) {
  test::folder folder;
  auto what = shell("pwd");
  what.cwd = folder.path();
  EXPECT_EQ(output_of(what), folder.path() + "\n");
  what = shell("pwd");
  what.cwd = folder.path("missing");
  EXPECT_EQ(output_of(what), "cannot enter " + folder.path("missing") + ": No such file or directory\n");
}

TEST_F(prespawned_process_test, joins_with_our_rights_and_then_changes_user) {
  test::folder folder; // ordinary files stand for cgroup.procs
  auto first = folder.write("first", ""), second = folder.write("second", "");
  process::descriptor a{::open(first.c_str(), O_WRONLY | O_CLOEXEC)}, b{::open(second.c_str(), O_WRONLY | O_CLOEXEC)};
  auto what = shell("id -u");
  what.user = ::geteuid() == 0 ? 65534 : 0;
  EXPECT_EQ(output_of(what, {a.get(), b.get()}), std::to_string(::geteuid() == 0 ? 65534 : ::geteuid()) + "\n");
  EXPECT_EQ(test::read(first), "0");
  EXPECT_EQ(test::read(second), "0");
}

TEST_F(prespawned_process_test, says_on_stderr_what_it_can_not_do) {
  process::descriptor read_only{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  EXPECT_EQ(output_of(shell("echo no"), {read_only.get()}),
            "cannot join the cgroup of the sandbox: Bad file descriptor\n");
  auto what = shell("");
  what.argv = {"/nowhere/program"};
  EXPECT_EQ(output_of(what), "cannot start /nowhere/program: No such file or directory\n");
}

TEST_F(prespawned_process_test, ends_with_its_owner_or_without_orders) {
  auto waiting = started();
  auto child = waiting->exec(shell("sleep 1000"));
  auto pid = child.value->pid();
  child.value.reset();
  EXPECT_TRUE(test::gone_soon(pid));
  auto unused = process::prespawned_process::start(io_.get_executor(), test::guest_exec(), {});
  unused.value.reset(); // kills and reaps, or this would hang
}

TEST_F(prespawned_process_test, that_somebody_has_killed_says_so) {
  auto waiting = started();
  std::ifstream children{"/proc/self/task/" + std::to_string(::getpid()) + "/children"};
  for (pid_t child = 0; children >> child;) {
    ::kill(child, SIGKILL);
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  }
  EXPECT_EQ(waiting->exec(shell("")).error.code, msg::errc::server_died);
}

TEST_F(prespawned_process_test, refuses_what_does_not_fit_into_a_message) {
  auto waiting = started();
  auto what = shell(std::string(200'000, 'x'));
  auto child = waiting->exec(what);
  EXPECT_EQ(child.error.message, "cannot start /bin/sh: Argument list too long");
  EXPECT_FALSE(process::prespawned_process::start(io_.get_executor(), "/nowhere/waiting", {}).ok());
}

TEST_F(prespawned_process_test, every_text_ends_where_it_ends) {
  const std::string nul{"a\0b", 3};
  for (bool in_environment : {false, true}) {
    auto what = shell("echo started");
    (in_environment ? what.environment : what.argv).push_back(nul);
    auto waiting = started();
    auto refused = waiting->exec(what);
    EXPECT_EQ(refused.error.code, msg::errc::invalid_argument);
    EXPECT_FALSE(refused.value);
  }
  auto what = shell("printf '[%s]' \"$@\"; echo \"<$A><$B>\"");
  what.argv.insert(what.argv.end(), {"", "a\nb", "", "--", "last"});
  what.environment = {"A=", "B=x\ny"};
  EXPECT_EQ(output_of(what), "[a\nb][][--][last]<><x\ny>\n");
}

} // namespace process_prespawned_process_test
