#include "process/beginning.hpp"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace process {

namespace {

rlimit inherited{};
bool raised = false;

void settle_signals() {
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void open_standard_descriptors() {
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO)
    fd = ::open("/dev/null", O_RDWR);
  if (fd >= 0)
    ::close(fd);
}

/// Where it can not be raised, what we have has to do.
void raise_open_files() {
  if (::getrlimit(RLIMIT_NOFILE, &inherited) != 0 || inherited.rlim_cur == inherited.rlim_max)
    return;
  rlimit all{inherited.rlim_max, inherited.rlim_max};
  raised = ::setrlimit(RLIMIT_NOFILE, &all) == 0;
}

} // namespace

void begin_process() {
  settle_signals();
  open_standard_descriptors();
  raise_open_files();
}

void return_open_files() noexcept {
  if (raised)
    ::setrlimit(RLIMIT_NOFILE, &inherited);
}

} // namespace process
