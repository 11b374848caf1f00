// The file of the store: made complete or not at all, and put aside when it is damaged, also while other servers do the
// same.
#pragma once

#include "memory/sqlite.hpp"
#include "messages/errors.hpp"

#include <chrono>
#include <string>

#include <sys/types.h>

namespace memory {

using time_point = std::chrono::system_clock::time_point;

/// "2025-01-31T12:00:00.123Z"
std::string iso_time(time_point t);

class store_file {
public:
  /// Makes nothing yet. `folder` is made with the file, for its owner alone.
  explicit store_file(std::string folder);

  const std::string& path() const { return path_; }
  /// Opens the file, or a new one if there is none. A damaged one is not a fault: `db` says so.
  msg::fault open(database& db);
  /// Whether `path` still is the file that was opened last: another server may have put it aside.
  bool is_current() const;
  /// Renames the file that was opened last to memory.db.damaged-TIME. `name` is empty if another server was faster.
  msg::fault put_aside(time_point now, std::string& name);

private:
  msg::fault make_folder() const;
  msg::fault make_new() const;
  msg::fault busy() const;
  msg::fault failed(const std::string& doing, const std::string& why) const;

  std::string folder_;
  std::string path_;
  ino_t opened_ = 0;
};

} // namespace memory
