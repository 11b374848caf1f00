#include "process/command.hpp"

#include "testing/coroutines.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

namespace process_command_test {

using std::chrono::milliseconds;

class command_test : public testing::Test {
protected:
  msg::outcome<process::command_result> shell(const std::string& script, milliseconds timeout = milliseconds{10'000}) {
    process::launch what;
    what.argv = {"/bin/sh", "-c", script};
    what.environment = {"PATH=/usr/bin:/bin", "X=y"};
    return test::run(io_, process::run_command(io_.get_executor(), what, timeout));
  }
  asio::io_context io_;
};

TEST_F(command_test, gives_both_outputs_and_the_exit_code) {
  auto r = shell("echo out $X; echo err >&2; exit 3");
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r.value.output, "out y\n");
  EXPECT_EQ(r.value.errors, "err\n");
  EXPECT_EQ(r.value.status.code, 3);
  EXPECT_FALSE(r.value.succeeded());
  EXPECT_TRUE(shell("true").value.succeeded());
}

TEST_F(command_test, has_an_empty_stdin) { EXPECT_EQ(shell("cat; echo end").value.output, "end\n"); }

TEST_F(command_test, tells_a_signal) {
  auto r = shell("kill -TERM $$");
  EXPECT_TRUE(r.value.status.by_signal);
  EXPECT_EQ(r.value.status.code, SIGTERM);
  EXPECT_FALSE(r.value.succeeded());
}

TEST_F(command_test, is_killed_when_its_time_is_over) {
  auto r = shell("echo before; sleep 60", milliseconds{200});
  EXPECT_TRUE(r.value.timed_out);
  EXPECT_FALSE(r.value.succeeded());
  EXPECT_EQ(r.value.output, "before\n");
}

TEST_F(command_test, keeps_the_beginning_of_a_flood) {
  auto r = shell("head -c 3000000 /dev/zero | tr '\\0' x; echo done >&2");
  EXPECT_EQ(r.value.output, std::string(process::command_output_bytes_max, 'x'));
  EXPECT_EQ(r.value.errors, "done\n");
}

TEST_F(command_test, does_not_wait_for_what_it_leaves_behind) {
  auto r = shell("setsid sleep 5 & echo started");
  EXPECT_TRUE(r.value.succeeded());
  EXPECT_EQ(r.value.output, "started\n");
}

TEST_F(command_test, tells_what_can_not_be_started) {
  process::launch what;
  what.argv = {"/no/such/program"};
  auto r = test::run(io_, process::run_command(io_.get_executor(), what, milliseconds{1'000}));
  EXPECT_FALSE(r.ok());
  EXPECT_NE(r.error.message.find("/no/such/program"), std::string::npos);
}

TEST_F(command_test, leaves_no_descriptor) {
  auto count = [] { return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {}); };
  EXPECT_TRUE(shell("true").ok());
  io_.poll();
  auto before = count();
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(shell("echo x").ok());
  io_.poll();
  EXPECT_EQ(count(), before);
}

} // namespace process_command_test
