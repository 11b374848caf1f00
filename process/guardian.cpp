#include "process/guardian.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace process {

namespace {

guardian* ours = nullptr; ///< the youngest

struct order {
  char operation; // '+' or '-'
  pid_t group;
};

/// The helper: no allocation, no library but the system's. Ends when every writer of the pipe is gone.
[[noreturn]] void guard(int pipe) {
  ::setsid(); // out of reach of signals to our group
  ::prctl(PR_SET_NAME, "ce-guardian");
  for (int s = 1; s < NSIG; ++s)
    ::signal(s, s == SIGTERM || s == SIGINT || s == SIGHUP ? SIG_IGN : SIG_DFL);
  ::dup2(pipe, 0);
  ::close_range(1, ~0u, 0);
  static std::array<pid_t, guardian::groups_max> groups{};
  order o{};
  while (::read(0, &o, sizeof o) == sizeof o) { // orders are shorter than PIPE_BUF: never torn
    auto slot = std::find(groups.begin(), groups.end(), o.group);
    if (slot == groups.end() && o.operation == '+')
      slot = std::find(groups.begin(), groups.end(), 0);
    if (slot != groups.end())
      *slot = o.operation == '+' ? o.group : 0;
  }
  for (auto group : groups)
    if (group > 0)
      ::kill(-group, SIGKILL);
  ::_exit(0);
}

} // namespace

guardian::guardian() { ours = this; }

guardian* guardian::of_process() { return ours; }

guardian::~guardian() {
  if (ours == this)
    ours = nullptr;
  pipe_ = descriptor{}; // end of file: the helper ends
  if (helper_ > 0) {
    int status;
    ::waitpid(helper_, &status, 0);
  }
}

int guardian::prepare() {
  if (pipe_)
    return 0;
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return errno;
  descriptor read{fds[0]}, write{fds[1]};
  helper_ = ::fork();
  if (helper_ == 0)
    guard(read.get());
  if (helper_ < 0)
    return errno;
  pipe_ = std::move(write);
  return 0;
}

void guardian::tell(char operation, pid_t group) {
  order o{operation, group};
  // A dead guardian must not end us.
  [[maybe_unused]] auto written = prepare() == 0 ? ::write(pipe_.get(), &o, sizeof o) : 0;
}

void guardian::watch(pid_t group) { tell('+', group); }

void guardian::forget(pid_t group) { tell('-', group); }

} // namespace process
