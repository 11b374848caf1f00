// One child process: started without a shell, watched by a pidfd, ended by RAII.
#pragma once

#include "messages/errors.hpp"
#include "process/c_text.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <memory>

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace process {

/// An owned descriptor that is closed on exec unless `launch` hands it to the child.
class descriptor {
public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  descriptor& operator=(descriptor&& o) noexcept {
    std::swap(fd_, o.fd_);
    return *this;
  }
  ~descriptor();

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

private:
  int fd_ = -1;
};

/// Another one for the same; invalid, and errno says why, when there is none left.
descriptor duplicate(const descriptor& of);

struct pipe_ends {
  descriptor read, write;
};
/// Both throw std::system_error when the process has no descriptors left.
pipe_ends make_pipe();
std::pair<descriptor, descriptor> make_socket_pair();

/// Everything about a child before it exists.
struct launch {
  c_texts argv;                                 ///< argv[0]: absolute path of an executable
  c_texts environment;                          ///< "NAME=value", complete
  c_text cwd;                                   ///< empty: ours
  std::vector<std::pair<int, int>> descriptors; ///< (ours, the child's number); all others are closed
  uid_t user = 0;                               ///< 0: ours; else also drops all groups
  int niceness = 0;                             ///< above ours
  /// Parts of all this that no client or log is told, should the child repeat them.
  std::vector<std::string> secrets;
};

struct exit_status {
  bool by_signal = false;
  int code = 0; ///< exit code, or the signal's number
  std::string text() const;
};

/// Empty, or what can not be started: a text with a NUL would reach the kernel cut short.
msg::fault check(const launch& what);

/// A running child in a process group of its own. Destroying it kills the group and reaps the child.
class child {
public:
  child(asio::posix::stream_descriptor pidfd, pid_t pid);
  child(child&& other) noexcept;
  child& operator=(child&&) = delete;
  ~child();

  /// Sends `signal` to the whole group. Does nothing once the child is reaped.
  void kill(int signal) noexcept;
  bool has_ended() noexcept;
  /// Only once it has ended. Kills what is left of the group.
  exit_status reap() noexcept;
  pid_t pid() const { return pid_; }

  asio::posix::stream_descriptor pidfd; ///< readable once the child is dead

private:
  pid_t pid_;
  bool reaped_ = false;
};

/// Waits for the end of a child and reaps it. Asio may report a descriptor too early, when an event of one that was
/// closed meanwhile reaches it; so this looks again.
asio::awaitable<exit_status> reap_when_ended(child& c);

/// Starts a child; the child dies with this process (also by SIGKILL). The error names the executable and why.
/// Must be called on the main thread: the kernel ties PR_SET_PDEATHSIG to the thread that forked.
msg::outcome<std::unique_ptr<child>> start(const asio::any_io_executor& executor, const launch& what);

/// Starts a program that outlives this process and that we do not wait for. False: there can be no more processes;
/// whether the program can be executed is not known.
bool start_detached(const launch& what);

} // namespace process
