#include "actors/run/ending.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace actors_run_ending_test {

using actors::run::ending_of;
using msg::errc;
using msg::run_status;

msg::guest_exit ready_guest(int32_t code) {
  msg::guest_exit how;
  how.code = code;
  how.was_ready = how.has_begun = true;
  return how;
}

TEST(ending, of_a_program_that_is_done) {
  proxy::guest_done done;
  EXPECT_EQ(ending_of(done).status, run_status::success);
  EXPECT_EQ(ending_of(done).exit_code, 0);
  done.failed = true;
  done.exit_code = 4;
  done.error.message = "no";
  auto end = ending_of(done);
  EXPECT_EQ(end.status, run_status::error);
  EXPECT_EQ(end.error.name, "Error");
  EXPECT_EQ(end.error.message, "no");
  EXPECT_EQ(end.exit_code, 4);
}

TEST(ending, of_a_guest_that_was_ended_for_its_memory) {
  auto how = ready_guest(137);
  how.out_of_memory = true;
  how.memory_mib_max = 64;
  auto end = ending_of(how);
  EXPECT_EQ(end.error.code, errc::limit_exceeded);
  EXPECT_EQ(end.error.message, "the program was ended: memory limit of 64 MiB (sandbox.memoryMb) reached");
  EXPECT_EQ(end.exit_code, 137);
  EXPECT_EQ(actors::run::memory_bytes_of(how), 64u << 20);
  how.out_of_memory = false;
  EXPECT_EQ(ending_of(how).error.message, "the program's process was ended by SIGKILL (Killed)")
    << "somebody counts, and it was not that";
  EXPECT_EQ(actors::run::memory_bytes_of(how), 0u);
}

TEST(ending, of_a_guest_whose_memory_nobody_counts_is_guessed) {
  for (auto signal : {SIGKILL, SIGTRAP, SIGILL}) {
    auto end = ending_of(ready_guest(128 + signal));
    EXPECT_EQ(end.error.code, errc::guest_died);
    EXPECT_NE(end.error.message.find("how it looks when the memory limit of"), std::string::npos) << end.error.message;
  }
  auto aborted = ending_of(ready_guest(128 + SIGABRT)).error.message;
  EXPECT_TRUE(aborted.starts_with("the program's process was ended by SIGABRT (Aborted): it, or a library in it, has"))
    << aborted;
  EXPECT_NE(aborted.find("some do that where the memory limit of"), std::string::npos) << aborted;
  EXPECT_EQ(ending_of(ready_guest(128 + SIGSEGV)).error.message,
            "the program's process was ended by SIGSEGV (Segmentation fault): a library in it, such as one that is "
            "called by ctypes, has used memory that it does not have");
  EXPECT_EQ(ending_of(ready_guest(128 + SIGTERM)).error.message,
            "the program's process was ended by SIGTERM (Terminated)");
  auto how = ready_guest(SIGTERM);
  how.by_signal = true;
  EXPECT_EQ(ending_of(how).error.message, "the program's process was ended by SIGTERM (Terminated)");
}

TEST(ending, of_a_guest_that_ended_itself) {
  EXPECT_EQ(ending_of(ready_guest(0)).status, run_status::success);
  EXPECT_EQ(ending_of(ready_guest(3)).error.message,
            "the program ended its process with exit code 3 before it was done");
  EXPECT_EQ(ending_of(ready_guest(3)).exit_code, 3);
}

TEST(ending, of_a_guest_that_ended_itself_is_a_success_only_of_a_program_that_has_begun) {
  auto how = ready_guest(0);
  how.has_begun = false;
  EXPECT_EQ(ending_of(how).error.code, errc::guest_died);
  EXPECT_NE(ending_of(how).exit_code, 0);
}

TEST(ending, of_a_guest_that_a_run_before_may_have_ended_says_so) {
  for (int32_t code : {0, 3}) {
    auto how = ready_guest(code);
    how.ran_before = true;
    EXPECT_EQ(ending_of(how).error.code, errc::guest_died);
    EXPECT_NE(ending_of(how).error.message.find("left over"), std::string::npos) << ending_of(how).error.message;
  }
}

TEST(ending, of_a_guest_within_a_frame_says_what_is_lost) {
  for (int32_t code : {0, 3, 128 + SIGTERM}) {
    auto how = ready_guest(code);
    how.in_frame = true;
    EXPECT_EQ(ending_of(how).error.code, errc::guest_died);
    EXPECT_NE(ending_of(how).error.message.find("displayed) is lost"), std::string::npos)
      << ending_of(how).error.message;
  }
}

TEST(ending, of_a_guest_that_was_ended_from_this_side) {
  auto how = ready_guest(1);
  how.problem = "sent too much";
  EXPECT_EQ(ending_of(how).error.code, errc::guest_protocol);
  EXPECT_EQ(ending_of(how).error.message, "the program's process sent too much");
  how.cause = errc::limit_exceeded;
  EXPECT_EQ(ending_of(how).error.code, errc::limit_exceeded);
  how.was_ready = false;
  how.cause = errc::none;
  EXPECT_EQ(ending_of(how).error.code, errc::runtime_missing);
  EXPECT_EQ(ending_of(how).error.message, "sent too much");
}

TEST(ending, of_a_guest_that_never_was_ready_says_how_it_ended) {
  msg::guest_exit how;
  how.code = 1;
  EXPECT_TRUE(ending_of(how).never_ready);
  EXPECT_EQ(ending_of(how).status, run_status::error);
  EXPECT_EQ(ending_of(how).error.message, "it ended with exit code 1 before it was ready");
  how.by_signal = true;
  how.code = 9;
  EXPECT_EQ(ending_of(how).error.message, "it was ended by signal 9 (Killed) before it was ready");
  how.out_of_memory = true;
  how.memory_mib_max = 64;
  EXPECT_TRUE(ending_of(how).never_ready);
  EXPECT_EQ(ending_of(how).error.message,
            "it was ended before it was ready: memory limit of 64 MiB (sandbox.memoryMb) reached");
}

TEST(ending, of_a_guest_that_never_was_ready_is_told_by_its_output) {
  EXPECT_EQ(actors::run::start_failure(msg::language::python, "", "it ended").message,
            "the sandbox could not start a Python guest: it ended");
  EXPECT_EQ(actors::run::start_failure(msg::language::typescript, "no deno", "it ended").message,
            "the sandbox could not start a TypeScript guest: no deno");
  EXPECT_LT(actors::run::start_failure(msg::language::python, std::string(9'000, 'x'), "").message.size(), 600u);
}

} // namespace actors_run_ending_test
