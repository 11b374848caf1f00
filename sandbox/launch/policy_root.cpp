#include "sandbox/launch/policy_root.hpp"

#include "messages/limits.hpp"
#include "process/child.hpp"
#include "process/inside.hpp"
#include "text/utf8.hpp"

#include <cerrno>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;
using process::descriptor;

namespace {

constexpr mode_t others_write = S_IWGRP | S_IWOTH;

fault refuse_root(const std::string& root, const std::string& why) {
  return {errc::not_allowed, "'" + text::quoted(root, msg::limits::path_bytes_max) + "' " + why};
}

/// Follows a path part by part, by descriptors, so that nothing changes under it.
class root_walk {
public:
  explicit root_walk(const std::string& root) : root_(root), rest_(parts(fs::absolute(root))) {}

  msg::outcome<fs::path> run() {
    restart();
    while (!rest_.empty()) {
      auto part = std::move(rest_.front());
      rest_.pop_front();
      if (part.empty() || part == "." || part == "/")
        continue;
      if (auto problem = step(part); problem.code != errc::none)
        return problem;
    }
    auto real = process::path_of_opened(at_.get());
    return real.empty()
             ? msg::outcome<fs::path>{refuse_root(root_, "can not be opened: /proc does not say where it is")}
             : real;
  }

private:
  static std::deque<fs::path> parts(const fs::path& path) { return {path.begin(), path.end()}; }

  void restart() {
    at_ = descriptor{::open("/", O_PATH | O_CLOEXEC)};
    path_ = "/";
  }

  fault step(const fs::path& part) {
    descriptor next{::openat(at_.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    struct stat s {};
    if (!next || ::fstat(next.get(), &s) != 0)
      return refuse_root(root_, "can not be opened: " + (path_ / part).string() + ": " + std::strerror(errno));
    if (S_ISLNK(s.st_mode))
      return follow(part);
    at_ = std::move(next);
    path_ = part == ".." ? path_.parent_path() : path_ / part;
    return {};
  }

  fault follow(const fs::path& part) {
    std::string target(msg::limits::path_bytes_max, '\0');
    auto n = ::readlinkat(at_.get(), part.c_str(), target.data(), target.size());
    if (n <= 0 || static_cast<size_t>(n) == target.size() || ++links_ > process::links_max)
      return refuse_root(root_, "can not be followed: " + (path_ / part).string() + " is a link that leads nowhere");
    target.resize(static_cast<size_t>(n));
    if (!is_of_the_machine())
      return refuse_root(root_,
                         "is not followed: " + (path_ / part).string() + " is a symbolic link (to "
                           + text::quoted(target, msg::limits::path_bytes_max)
                           + "), which a repository or a program may have made; name the folder that it leads to");
    auto rest = parts(target);
    rest_.insert(rest_.begin(), rest.begin(), rest.end());
    if (target.front() == '/')
      restart();
    return {};
  }

  /// Who has made a link in here.
  bool is_of_the_machine() const {
    struct stat s {};
    if (::fstat(at_.get(), &s) != 0 || s.st_uid != 0 || (s.st_mode & others_write) != 0)
      return false;
    return ::geteuid() != 0 || path_ == "/" || path_.parent_path() == "/";
  }

  const std::string& root_;
  std::deque<fs::path> rest_;
  descriptor at_;
  fs::path path_;
  size_t links_ = 0;
};

} // namespace

msg::outcome<fs::path> real_path_of_root(const std::string& path) { return root_walk{path}.run(); }

} // namespace sandbox
