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
#include <utility>
#include <vector>

namespace process {

/// Of a file, or a folder, when it was changed last, and its size; of one that is not there, zeros.
using file_stamp = std::pair<std::filesystem::file_time_type, uintmax_t>;
file_stamp stamp_of(const std::string& path);

/// By inotify, on the folders: editors replace files. One coroutine at a time.
class file_watch {
public:
  explicit file_watch(const asio::any_io_executor& executor);

  /// From now on these: files, and folders with all that is directly in them. Absolute paths; of a symbolic link also
  /// what it leads to, but not another folder in the place of a link on the way. False: not all of it can
  /// be watched (the user's inotify instances or watches are used up); what was watched before may go on.
  bool set(const std::vector<std::string>& paths);
  /// Ends when something may have changed since the last `set`; false: it never will, or it was cancelled.
  asio::awaitable<bool> changed();
  void cancel();

private:
  bool watch_file(const std::filesystem::path& path);
  bool watch(const std::string& folder, const std::string& name);
  bool is_about_us(const char* events, size_t size) const;

  asio::any_io_executor executor_;
  asio::posix::stream_descriptor notifier_;
  std::map<int, std::set<std::string>> names_; ///< by watch: what is looked for in its folder; empty name: everything
};

} // namespace process
