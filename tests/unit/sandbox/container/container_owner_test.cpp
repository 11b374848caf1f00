#include "sandbox/container/container_owner.hpp"

#include <gtest/gtest.h>

#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace sandbox_container_owner_test {

using sandbox::owner_is_dead;

TEST(container_owner, of_this_process_is_alive) {
  auto ours = sandbox::owner_of_this_process();
  EXPECT_NE(ours.find("-" + std::to_string(::getpid()) + "-"), std::string::npos);
  EXPECT_FALSE(owner_is_dead(ours));
}

TEST(container_owner, is_dead_when_its_pid_belongs_to_another_process) {
  EXPECT_TRUE(owner_is_dead(sandbox::owner_of_this_process() + "0"));
}

TEST(container_owner, is_dead_from_its_end_even_if_nobody_has_reaped_it) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  auto pid = ::fork();
  if (pid == 0) {
    auto ours = sandbox::owner_of_this_process();
    ::_exit(::write(pipe[1], ours.data(), ours.size()) < 0);
  }
  char text[100];
  auto n = ::read(pipe[0], text, sizeof text);
  ASSERT_GT(n, 0);
  std::string owner{text, static_cast<size_t>(n)};
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(owner_is_dead(owner)) << "a zombie";
  ::waitpid(pid, nullptr, 0);
  EXPECT_TRUE(owner_is_dead(owner));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(container_owner, of_another_pid_namespace_or_no_owner_at_all_is_not_known_to_be_dead) {
  for (auto* text :
       {"1-1-1", "", "-", "--", "a-b-c", "1", "4026531836", "4026531836-1", "../..", "4026531836-1-x", "4026531836--1"})
    EXPECT_FALSE(owner_is_dead(text)) << text;
}

} // namespace sandbox_container_owner_test
