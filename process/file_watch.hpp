// Tells when files change, appear or go, also those in folders that do not exist yet.
#pragma once

#include "process/child.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace process {

/// Of a file, or a folder, which one it is and when it was changed last; of one that is not there, zeros. Whoever sets
/// the time of a file's content sets that of its state with it, and a file that replaces another is another one.
struct file_stamp {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t written_ns = 0, changed_ns = 0; ///< its content; its state, of which the content is a part
  bool operator==(const file_stamp&) const = default;
};
/// Of what a link leads to.
file_stamp stamp_of(const std::string& path);

/// Those that are told of: the part of a watch that takes time, and that any thread can make.
class watched_files {
public:
  /// Files, and folders with all that is directly in them. Absolute paths; of a symbolic link also what it leads to,
  /// but not another folder in the place of a link on the way.
  explicit watched_files(const std::vector<std::string>& paths);
  /// False: not all of it can be watched (the user's inotify instances or watches are used up).
  bool are_all() const { return are_all_; }

private:
  friend class file_watch;
  bool watch_file(const std::filesystem::path& path);
  bool watch(const std::string& folder, const std::string& name);

  using wanted_names = std::map<int, std::set<std::string>>;

  descriptor inotify_;
  wanted_names names_; ///< by watch: what is looked for in its folder; empty name: everything
  bool are_all_ = false;
};

/// By inotify, on the folders: editors replace files. One coroutine at a time.
class file_watch {
public:
  explicit file_watch(const asio::any_io_executor& executor);

  /// From now on these, also for the coroutine that waits. False: not all of them can be watched; what was watched
  /// before may go on.
  bool set(watched_files files);
  bool set(const std::vector<std::string>& paths) { return set(watched_files{paths}); }
  /// Ends when something may have changed since the watched_files of the last `set` were made; false: it is never
  /// known, or it was cancelled.
  asio::awaitable<bool> changed();
  void cancel();

private:
  bool is_about_us(const char* events, size_t size) const;

  asio::any_io_executor executor_;
  asio::posix::stream_descriptor notifier_;
  watched_files::wanted_names names_;
  uint64_t sets_ = 0; ///< how often
};

} // namespace process
