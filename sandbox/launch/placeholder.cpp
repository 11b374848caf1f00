#include "sandbox/launch/placeholder.hpp"

#include "sandbox/isolation/box_parts.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sandbox {

using process::descriptor;

namespace {

/// A configuration with nothing in it, or a comment in what is no JSON (`.npmrc`, `config.yaml`, `.envrc`). Of git's
/// HEAD it makes no repository. In words, and with a tab and a bit of its rights, that no person gives such a file or
/// folder: it is removed.
constexpr std::string_view json_content = "{\t}\n", other_content = "# held by code-executor while a program runs\n";
constexpr mode_t file_mode = 0444, folder_mode = 0555 | S_ISVTX, any_write = 0222;
/// Another server may be removing it, which takes microseconds.
constexpr int attempts_max = 1'000;

bool is_empty_folder(const descriptor& folder) {
  descriptor again{::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  auto* entries = again ? ::fdopendir(again.get()) : nullptr;
  if (!entries)
    return false;
  again.release();
  bool is_empty = true;
  while (auto* entry = ::readdir(entries)) {
    auto name = std::string_view{static_cast<const char*>(entry->d_name)};
    is_empty = is_empty && (name == "." || name == "..");
  }
  ::closedir(entries);
  return is_empty;
}

std::string_view content_of(std::string_view name) {
  return name.ends_with(".json") || name.ends_with(".jsonc") ? json_content : other_content;
}

/// No other program makes such a thing: of ours, not to be written, and with its mark.
bool is_placeholder(const descriptor& opened, std::string_view name) {
  struct stat s {};
  if (!opened || ::fstat(opened.get(), &s) != 0 || s.st_uid != ::geteuid() || (s.st_mode & any_write) != 0)
    return false;
  if (S_ISDIR(s.st_mode))
    return (s.st_mode & S_ISVTX) != 0 && is_empty_folder(opened);
  auto content = content_of(name);
  std::array<char, other_content.size()> read{};
  return S_ISREG(s.st_mode) && s.st_size == static_cast<off_t>(content.size())
         && ::pread(opened.get(), read.data(), content.size(), 0) == static_cast<ssize_t>(content.size())
         && std::string_view{read.data(), content.size()} == content;
}

/// False: errno.
bool make(const descriptor& folder, const std::string& name, placeholder_kind kind) {
  if (kind == placeholder_kind::folder)
    return ::mkdirat(folder.get(), name.c_str(), folder_mode) == 0;
  descriptor file{
    ::openat(folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file_mode)};
  if (!file)
    return false;
  auto content = content_of(name);
  if (::write(file.get(), content.data(), content.size()) == static_cast<ssize_t>(content.size()))
    return true;
  auto why = errno;
  ::unlinkat(folder.get(), name.c_str(), 0);
  errno = why;
  return false;
}

/// Who may not make it, makes it for no guest either, unless the folder is theirs: then they can give themselves the
/// right to.
bool is_closed_to_all(const descriptor& folder, int error) {
  struct stat s {};
  bool is_of_others = ::fstat(folder.get(), &s) == 0 && s.st_uid != uid_of_guests();
  return error == EPERM || error == EROFS || (error == EACCES && is_of_others);
}

/// A program may have taken its owner, who is ours, the right to a folder: while this lives it is there.
class right_to_folder {
public:
  explicit right_to_folder(const descriptor& folder) : path_("/proc/self/fd/" + std::to_string(folder.get())) {
    constexpr mode_t needed = S_IWUSR | S_IXUSR;
    struct stat s {};
    if (::geteuid() == 0 || ::fstat(folder.get(), &s) != 0 || (s.st_mode & needed) == needed)
      return;
    before_ = s.st_mode & 07777;
    is_given_ = ::chmod(path_.c_str(), before_ | needed) == 0;
  }
  right_to_folder(const right_to_folder&) = delete;
  right_to_folder& operator=(const right_to_folder&) = delete;
  ~right_to_folder() {
    if (is_given_)
      ::chmod(path_.c_str(), before_);
  }

private:
  std::string path_;
  mode_t before_ = 0;
  bool is_given_ = false;
};

msg::fault busy(const std::string& name) {
  return {msg::errc::overloaded,
          "the placeholder for " + name + " is held by another program; try again, or remove it if nothing runs"};
}

} // namespace

bool has_name(const descriptor& opened, const descriptor& folder, const std::string& name) {
  struct stat held {
  }, named{};
  return ::fstat(opened.get(), &held) == 0 && ::fstatat(folder.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0
         && held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

placeholder::~placeholder() {
  right_to_folder right{folder_};
  if (::flock(held_.get(), LOCK_EX | LOCK_NB) != 0 || !has_name(held_, folder_, name_) || !is_placeholder(held_, name_))
    return;
  struct stat s {};
  if (::fstat(held_.get(), &s) == 0)
    ::unlinkat(folder_.get(), name_.c_str(), S_ISDIR(s.st_mode) ? AT_REMOVEDIR : 0);
}

msg::outcome<std::shared_ptr<const placeholder>> hold_if_placeholder(const descriptor& folder,
                                                                     const std::string& name) {
  for (int i = 0; i < attempts_max; ++i) {
    descriptor held{::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (!is_placeholder(held, name))
      return std::shared_ptr<const placeholder>{};
    bool is_locked = ::flock(held.get(), LOCK_SH | LOCK_NB) == 0; // another server may be removing it
    if (is_locked && has_name(held, folder, name))
      return std::shared_ptr<const placeholder>{
        std::make_shared<placeholder>(process::duplicate(folder), name, std::move(held))};
    ::sched_yield();
  }
  return busy(name);
}

msg::outcome<std::shared_ptr<const placeholder>> hold_place(const descriptor& folder, const std::string& name,
                                                            placeholder_kind kind) {
  for (int i = 0; i < attempts_max; ++i) {
    if (!make(folder, name, kind) && errno != EEXIST) {
      auto why = errno;
      if (is_closed_to_all(folder, why))
        return std::shared_ptr<const placeholder>{};
      return msg::fault{
        why == EACCES ? msg::errc::not_allowed : msg::errc::internal,
        "no placeholder can be made for " + name + ": " + std::strerror(why)
          + (why == EACCES ? "; give the owner of its folder all rights (chmod u+rwx), or name another folder" : "")};
    }
    auto held = hold_if_placeholder(folder, name);
    if (!held.ok() || held.value || ::faccessat(folder.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      return held;
  }
  return busy(name);
}

} // namespace sandbox
