#include "setup/setup_lock.hpp"

#include "setup/user_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace setup {

using msg::errc;
using msg::fault;

namespace {

constexpr int lock_look_ms = 50;

bool is_that_file(int fd, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev
         && open.st_ino == named.st_ino;
}

} // namespace

std::string folder_of_setups(const std::string& state_folder) { return state_folder + "/setup"; }

setup_lock& setup_lock::operator=(setup_lock&& o) noexcept {
  std::swap(file_, o.file_);
  std::swap(path_, o.path_);
  std::swap(made_, o.made_);
  return *this;
}

setup_lock::~setup_lock() {
  if (!file_)
    return;
  ::unlink(path_.c_str()); // who waits for it sees that, and makes another one
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder)
    ::rmdir(folder->c_str());
}

msg::outcome<setup_lock> setup_lock::take(const std::string& state_folder, std::chrono::milliseconds wait) {
  auto folder = folder_of_setups(state_folder);
  auto path = folder + "/lock";
  std::vector<std::string> made;
  auto end = std::chrono::steady_clock::now() + wait;
  for (;; ::poll(nullptr, 0, lock_look_ms)) {
    if (auto problem = make_folders(folder, made); problem.code != errc::none)
      return problem;
    process::descriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    bool is_gone = !file && errno == ENOENT; // the other one has ended in between
    if (!file && !is_gone)
      return fault{errc::internal, path + ": can not be written: " + std::strerror(errno)};
    bool is_locked = file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    if (file && !is_locked && errno != EWOULDBLOCK && errno != EINTR)
      return fault{errc::internal, path + ": can not be locked: " + std::strerror(errno)};
    if (is_locked && is_that_file(file.get(), path)) {
      setup_lock out;
      out.file_ = std::move(file);
      out.path_ = path;
      out.made_ = std::move(made);
      return out;
    }
    if (std::chrono::steady_clock::now() >= end)
      return fault{errc::overloaded, "another `code-executor setup` has not ended yet; nothing is changed"};
  }
}

} // namespace setup
