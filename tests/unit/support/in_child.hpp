// Runs something in a child process that gives up rights it can not get back, and tells what it returned.
#pragma once

#include <csignal>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test {

/// 0 to 255, or 1000 + the signal that ended the child.
inline int end_of(pid_t child) {
  if (child < 0)
    throw std::runtime_error{"fork"};
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1'000 + WTERMSIG(status);
}

/// What does not end is ended after a while.
template <class F>
[[noreturn]] void live_as_child(F& work) {
  constexpr unsigned patience_seconds = 20;
  ::alarm(patience_seconds);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::_exit(work());
}

template <class F>
int in_child(F work) {
  auto pid = ::fork();
  if (pid == 0)
    live_as_child(work);
  return end_of(pid);
}

/// The same for work that is system calls only: it shares our memory. A copy of a process with AddressSanitizer takes
/// 40 ms.
template <class F>
int in_sharing_child(F work) {
  auto pid = ::vfork();
  if (pid == 0)
    live_as_child(work);
  return end_of(pid);
}

} // namespace test
