#include "setup/user_file.hpp"

#include "config/file_text.hpp"
#include "messages/limits.hpp"
#include "process/child.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace setup {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
/// Of a file that is to take the place of another one, before six characters.
constexpr std::string_view copy_ending = ".code-executor-new-";
constexpr size_t copy_characters = 6;
constexpr mode_t own_file = 0600, own_folder = 0700;

fault failure(const std::string& path, const std::string& what) {
  return {errc::internal, path + ": " + what + ": " + std::strerror(errno)};
}

fault write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR)
      return failure(path, "can not be written");
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  return {};
}

/// That a name in it is another one, too, is on the disk.
void sync_folder(const std::string& path) {
  process::descriptor folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder)
    ::fsync(folder.get()); // some file systems can not; the file itself is written
}

/// A file beside that one, which is gone with this unless it has taken its name.
class new_file {
public:
  explicit new_file(const std::string& beside) : beside_(beside), name_(beside + std::string{copy_ending} + "XXXXXX") {
    file_ = process::descriptor{::mkostemp(name_.data(), O_CLOEXEC)};
  }
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;
  ~new_file() {
    if (file_ && !is_renamed_)
      ::unlink(name_.c_str());
  }

  /// `old`: of the file that it replaces; null: there is none.
  fault write(std::string_view bytes, const struct stat* old, file_rights rights) {
    if (!file_)
      return failure(beside_, "can not be written, because no file can be made beside it");
    bool is_others = old && (old->st_uid != ::geteuid() || old->st_gid != ::getegid());
    if (is_others && ::fchown(file_.get(), old->st_uid, old->st_gid) != 0)
      return failure(beside_, "is of another owner, which could not be kept");
    auto mode = old ? old->st_mode & (rights == file_rights::kept ? 07777U : own_folder) : own_file;
    if (::fchmod(file_.get(), mode) != 0)
      return failure(beside_, "can not be given its rights");
    if (auto problem = write_all(file_.get(), bytes, beside_); problem.code != errc::none)
      return problem;
    return ::fsync(file_.get()) == 0 ? fault{} : failure(beside_, "can not be written");
  }

  fault take_name() {
    if (::rename(name_.c_str(), beside_.c_str()) != 0)
      return failure(beside_, "can not be replaced");
    is_renamed_ = true;
    sync_folder(fs::path{beside_}.parent_path().string());
    return {};
  }

private:
  std::string beside_, name_;
  process::descriptor file_;
  bool is_renamed_ = false;
};

fault has_changed(const std::string& path) {
  return {errc::internal, path + ": has been changed meanwhile, and is left as it is now; run this again"};
}

} // namespace

std::string why_not_replaced(const std::string& path) {
  struct stat s {};
  bool has_names = ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink > 1;
  return has_names
           ? path + ": has " + std::to_string(s.st_nlink)
               + " names (hard links), which would be cut apart if it were replaced, and is left as it is; make "
                 "it a file of its own, or the others symbolic links to it"
           : std::string{};
}

fault check_home(const std::string& home, uid_t user) {
  struct stat s {};
  if (user != 0 || ::stat(home.c_str(), &s) != 0 || s.st_uid == 0)
    return {};
  return {errc::invalid_argument, home + ": HOME is of another user; run setup as that user"};
}

std::string target_of(const std::string& path) {
  std::error_code ec;
  auto target = fs::weakly_canonical(path, ec);
  return ec ? path : target.string();
}

void remove_leftovers(const std::string& path) {
  auto target = fs::path{target_of(path)};
  auto begin = target.filename().string() + std::string{copy_ending};
  std::error_code ec;
  for (fs::directory_iterator at{target.parent_path(), ec}, end; !ec && at != end; at.increment(ec)) {
    auto name = at->path().filename().string();
    struct stat s {};
    bool is_one = name.size() == begin.size() + copy_characters && name.starts_with(begin)
                  && ::lstat(at->path().c_str(), &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink == 1;
    if (is_one)
      ::unlink(at->path().c_str());
  }
}

user_file read_user_file(const std::string& path) {
  auto file = config::read_file_text(path, msg::limits::config_file_bytes_max);
  user_file out;
  out.path = path;
  out.exists = file.exists;
  out.error = std::move(file.error);
  out.text = std::move(file.text);
  if (out.exists && config::read_file_start(path, utf8_mark.size()) == utf8_mark)
    out.mark = utf8_mark;
  return out;
}

fault make_folders(const std::string& path, std::vector<std::string>& made) {
  std::error_code ec;
  if (path.empty() || fs::is_directory(path, ec))
    return {};
  if (auto problem = make_folders(fs::path{path}.parent_path().string(), made); problem.code != errc::none)
    return problem;
  if (::mkdir(path.c_str(), own_folder) == 0)
    made.push_back(path);
  else if (errno != EEXIST)
    return failure(path, "the folder can not be made");
  return {};
}

fault replace_file(const std::string& path, const std::optional<std::string>& before,
                   const std::optional<std::string>& after, std::vector<std::string>& made, file_rights rights) {
  auto target = target_of(path);
  struct stat old {};
  bool is_there = ::stat(target.c_str(), &old) == 0;
  if (is_there != before.has_value())
    return has_changed(path);
  if (is_there && (old.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0)
    return {errc::internal, path + ": is write-protected, and is left as it is"};
  if (auto why = why_not_replaced(target); !why.empty())
    return {errc::internal, why};
  if (auto problem = make_folders(fs::path{target}.parent_path().string(), made); problem.code != errc::none)
    return problem;
  auto is_as_before = [&] { return read_user_file(path).content() == before; };
  if (!after) {
    if (!is_as_before())
      return has_changed(path);
    if (is_there && ::unlink(target.c_str()) != 0)
      return failure(path, "can not be removed");
    sync_folder(fs::path{target}.parent_path().string());
    return {};
  }
  new_file file{target};
  if (auto problem = file.write(*after, is_there ? &old : nullptr, rights); problem.code != errc::none)
    return problem;
  if (!is_as_before())
    return has_changed(path);
  return file.take_name();
}

} // namespace setup
