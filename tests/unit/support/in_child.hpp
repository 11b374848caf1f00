// Runs something in a child process that gives up rights it can not get back, and tells what it returned.
#pragma once

#include <csignal>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test {

/// 0 to 255, or 1000 + the signal that ended the child. What does not end is ended after a while.
template <class F>
int in_child(F work) {
  constexpr unsigned patience_seconds = 20;
  auto pid = ::fork();
  if (pid < 0)
    throw std::runtime_error{"fork"};
  if (pid == 0) {
    ::alarm(patience_seconds);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1'000 + WTERMSIG(status);
}

} // namespace test
