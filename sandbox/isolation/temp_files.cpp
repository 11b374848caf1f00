#include "sandbox/isolation/temp_files.hpp"

#include "process/child.hpp"
#include "sandbox/cgroup/process_tree.hpp"

#include <algorithm>
#include <fcntl.h>
#include <linux/magic.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <utility>

namespace sandbox {

namespace {

/// Opened once: then the number of a process that has died means nothing.
class temp_files_of_guest {
public:
  temp_files_of_guest(pid_t root, std::vector<std::string> names) : tree_(root), names_(std::move(names)) {}

  bool more_than(size_t files_max) {
    if (folders_.empty())
      find();
    return std::any_of(folders_.begin(), folders_.end(), [&](auto& folder) { return count(folder) > files_max; });
  }

private:
  /// A process that is not in its box yet has the root of the host.
  void find() {
    struct stat ours {};
    if (::stat("/", &ours) != 0)
      return;
    for (auto pid : tree_.look()) {
      process::descriptor root{
        ::open(("/proc/" + std::to_string(pid) + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
      struct stat theirs {};
      if (!root || ::fstat(root.get(), &theirs) != 0 || theirs.st_dev == ours.st_dev)
        continue;
      for (auto& name : names_)
        if (process::descriptor folder{
              ::openat(root.get(), name.substr(1).c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
            is_tmpfs(folder))
          folders_.push_back(std::move(folder));
      if (!folders_.empty())
        return;
    }
  }

  static bool is_tmpfs(const process::descriptor& folder) {
    struct statfs s {};
    return folder && ::fstatfs(folder.get(), &s) == 0 && s.f_type == TMPFS_MAGIC;
  }

  static size_t count(const process::descriptor& folder) {
    struct statfs s {};
    return ::fstatfs(folder.get(), &s) == 0 && s.f_files > s.f_ffree ? s.f_files - s.f_ffree : 0;
  }

  process_tree tree_;
  std::vector<std::string> names_;
  std::vector<process::descriptor> folders_;
};

} // namespace

std::function<bool()> too_many_temp_files(pid_t root, std::vector<std::string> folders, size_t files_max) {
  auto files = std::make_shared<temp_files_of_guest>(root, std::move(folders)); // one look at a time, see memory_watch
  return [files, files_max] { return files->more_than(files_max); };
}

void end_of_too_many_files(msg::guest_exit& how) {
  how.problem = "made more than " + std::to_string(guest_temp_files_max)
                + " files in its temp space, which is the limit, and was ended";
  how.cause = msg::errc::limit_exceeded;
}

} // namespace sandbox
