#include "cli/generated_files.hpp"

#include "process/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

/// Names looked at in a folder that is swept; what is behind them stays.
constexpr size_t names_max = 100'000;
/// Of a file, to see whose it is.
constexpr size_t beginning_bytes = 512;
/// Editors and programs load what is written here: nobody else may write it, whatever the user's umask.
constexpr mode_t file_rights = 0644, folder_rights = 0755, others_write = 0022;

std::string below(const std::string& folder, const std::string& path) { return fs::path{folder} / path; }

fault failure(const std::string& path, const char* what) {
  return {errc::internal, path + " " + what + ": " + std::strerror(errno)};
}

fault in_the_way(const std::string& path, const char* what) {
  return {errc::invalid_argument, path + " " + what + "; move it away, or choose another folder"};
}

/// The first bytes of a regular file; nothing: there is none of that name, or it is something else.
std::optional<std::string> read_beginning(const std::string& path, size_t bytes_max) {
  process::descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode))
    return std::nullopt;
  std::string out(std::min(static_cast<size_t>(about.st_size), bytes_max), '\0');
  size_t have = 0;
  while (have < out.size()) {
    auto n = ::read(file.get(), out.data() + have, out.size() - have);
    if (n == 0 || (n < 0 && errno != EINTR))
      break;
    have += static_cast<size_t>(std::max<ssize_t>(n, 0));
  }
  out.resize(have);
  return out;
}

/// Written by us under that name: a copy of ours with another one is the user's.
bool is_marked(std::string_view text, const std::string& path) {
  auto line = text.substr(0, text.find('\n'));
  auto ours = [&](std::string_view comment) {
    auto mark = editors::marked_line(comment, path, " by ");
    return line.starts_with(std::string_view{mark}.substr(0, mark.size() - 1));
  };
  return ours("//") || ours("#");
}

/// Of the folders between `folder` and the file none is a link: it would lead to what is somebody else's.
fault check_folders(const std::string& folder, const std::string& path) {
  auto at = fs::path{folder};
  for (auto& part : fs::path{path}.parent_path()) {
    at /= part;
    if (std::error_code ec; fs::is_symlink(fs::symlink_status(at, ec)))
      return in_the_way(at.string(), "is a link, and in the way of a folder of ours");
  }
  return {};
}

enum class comparison : uint8_t { absent, different, same };

/// A fault: there is something else of that name.
msg::outcome<comparison> compare(const std::string& path, const std::string& text) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) {
    if (errno != ENOENT)
      return failure(path, "can not be looked at");
    return comparison::absent;
  }
  if (!S_ISREG(about.st_mode))
    return in_the_way(path, "is no ordinary file, and is in the way of one that is to be written");
  auto there = read_beginning(path, text.size() + 1);
  if (!there)
    return failure(path, "can not be read");
  if (*there == text)
    return (about.st_mode & others_write) == 0 ? comparison::same : comparison::different;
  if (!is_marked(*there, path))
    return in_the_way(path, "is not a file that code-executor has written, and would be overwritten");
  return comparison::different;
}

fault make_folders(const fs::path& folder) {
  std::error_code ec;
  if (folder.empty() || fs::is_directory(folder, ec))
    return {};
  if (auto why = make_folders(folder.parent_path()); why.code != errc::none)
    return why;
  bool is_made = ::mkdir(folder.c_str(), folder_rights) == 0 || (errno == EEXIST && fs::is_directory(folder, ec));
  return is_made ? fault{} : failure(folder.string(), "can not be made");
}

fault replace_file(const std::string& path, const std::string& text) {
  auto unfinished = path + ".new-" + std::to_string(::getpid());
  ::unlink(unfinished.c_str()); // of a process of that number that was killed
  process::descriptor file{
    ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, file_rights)};
  if (!file)
    return failure(unfinished, "can not be written");
  for (std::string_view rest = text; !rest.empty();) {
    auto n = ::write(file.get(), rest.data(), rest.size());
    if (n < 0 && errno != EINTR) {
      auto why = failure(path, "can not be written");
      ::unlink(unfinished.c_str());
      return why;
    }
    rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  if (::rename(unfinished.c_str(), path.c_str()) == 0)
    return {};
  auto why = failure(path, "can not be replaced");
  ::unlink(unfinished.c_str());
  return why;
}

/// Those between `folder` and the file, if they are the user's: an older version made them with all that the umask
/// left.
fault close_folders(const std::string& folder, const std::string& path) {
  auto at = fs::path{folder};
  for (auto& part : fs::path{path}.parent_path()) {
    at /= part;
    struct stat about {};
    bool is_open = ::lstat(at.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == ::geteuid()
                   && (about.st_mode & others_write) != 0;
    if (is_open && ::chmod(at.c_str(), about.st_mode & 07777 & ~others_write) != 0)
      return failure(at.string(), "can not be closed to others, who may write in it");
  }
  return {};
}

fault put_file(const std::string& path, const std::string& text) {
  auto why = make_folders(fs::path{path}.parent_path());
  return why.code == errc::none ? replace_file(path, text) : why;
}

bool has_our_end(std::string_view name) {
  constexpr std::array<std::string_view, 3> ends{".ts", ".pyi", ".py"};
  return std::any_of(ends.begin(), ends.end(), [&](auto end) { return name.ends_with(end); });
}

/// Of ours, in order.
std::vector<std::string> generated_in(const std::string& folder) {
  std::vector<std::string> out;
  std::unique_ptr<DIR, int (*)(DIR*)> there{::opendir(folder.c_str()), ::closedir};
  for (size_t seen = 0; there && seen < names_max; ++seen) {
    auto* each = ::readdir(there.get());
    if (!each)
      break;
    if (has_our_end(each->d_name) && is_generated(below(folder, each->d_name)))
      out.emplace_back(each->d_name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

bool is_generated(const std::string& path) {
  auto text = read_beginning(path, beginning_bytes);
  return text && is_marked(*text, path);
}

msg::outcome<file_changes> write_generated(const std::string& folder, const std::vector<editors::generated_file>& files,
                                           const sweeping& sweep, file_mode mode) {
  file_changes out;
  std::set<std::string> wanted{sweep.kept.begin(), sweep.kept.end()};
  std::vector<const editors::generated_file*> changed;
  for (auto& file : files) {
    wanted.insert(file.path);
    if (auto why = check_folders(folder, file.path); why.code != errc::none)
      return why;
    if (auto why = mode == file_mode::write ? close_folders(folder, file.path) : fault{}; why.code != errc::none)
      return why;
    auto now = compare(below(folder, file.path), file.text);
    if (!now.ok())
      return now.error;
    out.added += now.value == comparison::absent;
    if (now.value == comparison::same)
      ++out.unchanged;
    else
      changed.push_back(&file);
  }
  for (auto* file : changed) {
    auto path = below(folder, file->path);
    if (auto why = mode == file_mode::write ? put_file(path, file->text) : fault{}; why.code != errc::none)
      return why;
    out.written.push_back(file->path);
  }
  for (auto& swept : sweep.folders) {
    if (auto why = check_folders(folder, below(swept, "any")); why.code != errc::none)
      return why;
    for (auto& name : generated_in(below(folder, swept))) {
      auto path = below(swept, name);
      if (wanted.contains(path))
        continue;
      if (mode == file_mode::write && ::unlink(below(folder, path).c_str()) != 0 && errno != ENOENT)
        return failure(below(folder, path), "can not be removed");
      out.removed.push_back(std::move(path));
    }
  }
  return out;
}

} // namespace cli
