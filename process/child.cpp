#include "process/child.hpp"

#include "process/become.hpp"
#include "process/beginning.hpp"
#include "process/guardian.hpp"
#include "process/own_memory.hpp"
#include "process/shortage.hpp"
#include <asio/experimental/as_tuple.hpp>
#include <asio/use_awaitable.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern "C" { // glibc 2.36 forgot it in this header
#include <sys/pidfd.h>
}

namespace process {

namespace {

/// Made before the fork, because nothing may be allocated after it.
struct prepared {
  std::vector<char*> argv, environment;
  std::vector<placed_descriptor> descriptors;

  static std::vector<char*> pointers(const c_texts& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (auto& s : texts)
      out.push_back(const_cast<char*>(s.c_str()));
    out.push_back(nullptr);
    return out;
  }
  explicit prepared(const launch& what) : argv(pointers(what.argv)), environment(pointers(what.environment)) {
    for (auto& [ours, theirs] : what.descriptors)
      descriptors.push_back({ours, theirs});
  }
};

void reset_signals() {
  for (int s = 1; s < NSIG; ++s)
    ::signal(s, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// The child's life up to exec, in order. Runs between vfork and exec: system calls only, no allocation.
[[noreturn]] void become_child(const launch& what, prepared& p, pid_t parent, volatile int* error) {
  reset_signals();
  give_back_memory_limit();
  bool ready = ::setpgid(0, 0) == 0 && (what.cwd.empty() || ::chdir(what.cwd.c_str()) == 0)
               && place_descriptors(p.descriptors.data(), p.descriptors.size()) && become_user(what.user);
  return_open_files(); // only now: what was placed came from numbers that this may not reach
  if (ready && !die_with(parent))
    ::_exit(127);
  if (ready)
    ::execve(p.argv[0], p.argv.data(), p.environment.data());
  *error = errno;
  ::_exit(127);
}

/// vfork: the parent waits until the child has exec'ed, shares its memory until then, and pays nothing for its size.
__attribute__((noinline)) pid_t spawn(const launch& what, prepared& p, volatile int* error) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before); // no handler of ours may run in the child
  auto parent = ::getpid();
  auto pid = ::vfork();
  if (pid == 0)
    become_child(what, p, parent, error);
  auto saved = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0)
    *error = saved;
  return pid;
}

/// Before there is a child: one without a guardian would outlive us. 0, or errno.
int prepare_guardian() {
  auto* ours = guardian::of_process();
  return ours ? ours->prepare() : 0;
}

void watch(pid_t group) {
  if (auto* ours = guardian::of_process())
    ours->watch(group);
}

/// Once nothing of the group is left.
void forget(pid_t group) {
  if (auto* ours = guardian::of_process())
    ours->forget(group);
}

/// From outside, once it has exec'ed: we wait until it has, and would wait with its niceness where others want the
/// processor. Of the whole group: it may have threads already.
void yield_to_others(pid_t group, int niceness) {
  if (niceness > 0)
    ::setpriority(PRIO_PGRP, static_cast<id_t>(group), ::getpriority(PRIO_PROCESS, 0) + niceness);
}

/// 0, or errno. No race: no other code reaps our children.
int watch_end(pid_t pid, asio::posix::stream_descriptor& watched) {
  descriptor pidfd{::pidfd_open(pid, PIDFD_NONBLOCK)};
  if (!pidfd)
    return errno;
  asio::error_code ec;
  watched.assign(pidfd.get(), ec); // fails where the user may watch no more descriptors
  if (!ec)
    pidfd.release();
  return ec.value();
}

msg::fault start_fault(const launch& what, int error) {
  bool no_folder = error == ENOENT && !what.cwd.empty() && ::access(what.cwd.c_str(), X_OK) != 0;
  auto where = no_folder ? "working directory " + what.cwd : what.argv[0].text();
  auto as =
    error == EPERM && what.user != 0
      ? " (as user " + std::to_string(what.user)
          + ": to become it, this process needs CAP_SETUID and CAP_SETGID, and that user in its namespace; if it "
            "has none of these, start code-executor as an ordinary user)"
      : std::string{};
  return {msg::errc::server_start_failed, "cannot start " + where + ": " + error_text(error) + as};
}

} // namespace

descriptor::~descriptor() {
  if (fd_ >= 0)
    ::close(fd_);
}

descriptor duplicate(const descriptor& of) { return descriptor{::fcntl(of.get(), F_DUPFD_CLOEXEC, 0)}; }

pipe_ends make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  return {descriptor{fds[0]}, descriptor{fds[1]}};
}

std::pair<descriptor, descriptor> make_socket_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  return {descriptor{fds[0]}, descriptor{fds[1]}};
}

std::string exit_status::text() const {
  if (by_signal)
    return std::string{"signal "} + std::to_string(code) + " (" + ::strsignal(code) + ")";
  return "exit code " + std::to_string(code);
}

msg::fault check(const launch& what) {
  auto sound = [](const c_texts& texts) {
    return std::all_of(texts.begin(), texts.end(), [](auto& t) { return t.sound(); });
  };
  auto* part = !sound(what.argv)          ? "its arguments hold"
               : !sound(what.environment) ? "its environment holds"
                                          : "its working directory holds";
  if (sound(what.argv) && sound(what.environment) && what.cwd.sound())
    return {};
  auto name = what.argv.empty() || what.argv[0].empty() ? "a program" : what.argv[0].text();
  return {msg::errc::invalid_argument, "cannot start " + name + ": " + part + " a NUL character"};
}

child::child(asio::posix::stream_descriptor fd, pid_t pid) : pidfd(std::move(fd)), pid_(pid) {}

child::child(child&& o) noexcept : pidfd(std::move(o.pidfd)), pid_(std::exchange(o.pid_, -1)), reaped_(o.reaped_) {}

child::~child() {
  if (pid_ > 0 && !reaped_) {
    kill(SIGKILL);
    int status;
    ::waitpid(pid_, &status, 0); // SIGKILL can not be refused: bounded
    forget(pid_);
  }
}

void child::kill(int signal) noexcept {
  if (!reaped_)
    ::kill(-pid_, signal);
}

bool child::has_ended() noexcept {
  siginfo_t info{};
  return ::waitid(P_PIDFD, static_cast<id_t>(pidfd.native_handle()), &info, WEXITED | WNOHANG | WNOWAIT) == 0
         && info.si_pid != 0;
}

exit_status child::reap() noexcept {
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(pidfd.native_handle()), &info, WEXITED);
  reaped_ = true;
  ::kill(-pid_, SIGKILL); // stragglers of its group
  forget(pid_);
  return {info.si_code != CLD_EXITED, info.si_status};
}

asio::awaitable<exit_status> reap_when_ended(child& c) {
  while (!c.has_ended()) {
    auto [ec] = co_await c.pidfd.async_wait(asio::posix::descriptor_base::wait_read,
                                            asio::experimental::as_tuple(asio::use_awaitable));
    if (ec)
      break;
  }
  co_return c.reap();
}

msg::outcome<std::unique_ptr<child>> start(const asio::any_io_executor& executor, const launch& what) {
  if (auto problem = check(what); problem.code != msg::errc::none)
    return problem;
  if (auto failed = prepare_guardian(); failed != 0)
    return start_fault(what, failed);
  prepared p{what};
  volatile int error = 0;
  auto pid = spawn(what, p, &error);
  if (pid > 0 && error != 0) {
    int status;
    ::waitpid(pid, &status, 0); // it has already ended
  }
  if (error != 0)
    return start_fault(what, error);
  yield_to_others(pid, what.niceness);
  watch(pid); // before it can have children of its own: bubblewrap takes longer
  asio::posix::stream_descriptor watched{executor};
  if (auto failed = watch_end(pid, watched); failed != 0) {
    ::kill(-pid, SIGKILL);
    int status;
    ::waitpid(pid, &status, 0);
    forget(pid);
    return start_fault(what, failed);
  }
  return std::make_unique<child>(std::move(watched), pid);
}

bool start_detached(const launch& what) {
  if (check(what).code != msg::errc::none)
    return false;
  prepared p{what};
  auto pid = ::fork(); // twice, so that the program is no child of ours; AddressSanitizer can not nest vfork
  if (pid == 0) {
    if (::fork() == 0 && ::setsid() > 0 && (what.cwd.empty() || ::chdir(what.cwd.c_str()) == 0)
        && place_descriptors(p.descriptors.data(), p.descriptors.size()) && become_user(what.user)) {
      reset_signals();
      return_open_files();
      give_back_memory_limit();
      ::execve(p.argv[0], p.argv.data(), p.environment.data());
    }
    ::_exit(0);
  }
  int status;
  return pid > 0 && ::waitpid(pid, &status, 0) == pid;
}

} // namespace process
