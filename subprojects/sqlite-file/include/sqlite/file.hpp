// A file of SQLite that several servers share: made complete or not at all, and put aside when it is damaged, also
// while others do the same.
#pragma once

#include "sqlite/database.hpp"
#include "sqlite/failure.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sqlite {

using time_point = std::chrono::system_clock::time_point;

/// "2025-01-31T12:00:00.123Z"
std::string iso_time(time_point t);

/// How much of a file is looked at when it is opened: all of it takes some ten milliseconds for 20 MB.
enum class examination : uint8_t { header, whole };

struct file_kind {
  const char* what;       ///< it holds, for messages: "memory"
  const char* name;       ///< in its folder
  int64_t application_id; ///< so that no other file is taken for it
  /// user_version; a file of a greater one is left alone, one without upgrades is damaged to us.
  int64_t format;
  const char* schema; ///< statements that make it
  examination look;
  const char* after_loss; ///< what a person should know when it was lost, behind that sentence; may be ""
  /// Statements that make of a file of format 1 one of 2, of 2 one of 3, ... What they delete is overwritten.
  std::vector<const char*> upgrades{};
  const char* program = "this program"; ///< for messages
};

class file {
public:
  /// Makes nothing yet. `folder` is made with the file, for its owner alone.
  file(std::string folder, const file_kind& kind);

  const std::string& path() const { return path_; }
  bool exists() const;
  /// Opens the file, or a new one if there is none. A damaged one is not a fault: `db` says so. What is no regular file
  /// is left alone.
  failure open(database& db);
  /// Whether `path` still is the file that was opened last: another server may have put it aside.
  bool is_current() const;
  /// Renames the file that was opened last to NAME.damaged-TIME. `name` is empty if another server was faster.
  failure put_aside(time_point now, std::string& name);

  /// After work: notes how long the index of the log (NAME-shm) is, which SQLite keeps mapped into memory.
  void note_index();
  /// Before work and before the database is closed: gives an index that somebody has cut short its length back. Else
  /// the first look at what is missing ends the process by SIGBUS. SQLite finds zeros there, and makes it anew from the
  /// log. What is cut off in the middle of a work is not found in time.
  void mend_index() const;

private:
  failure make_folder() const;
  failure make_new() const;
  /// That a link leads to, or a folder, or a pipe is none that we made: nothing is done with it.
  failure refuse_others() const;
  failure busy() const;
  failure failed(const std::string& doing, const std::string& why) const;

  static void set_up(database& db);
  void examine(database& db) const;
  bool is_newer(database& db) const;
  void upgrade(database& db) const;

  file_kind kind_;
  std::string folder_;
  std::string path_;
  std::string index_path_; ///< of the log, while the file is open
  ino_t opened_ = 0;
  ino_t index_ = 0;
  off_t index_bytes_ = 0; ///< of `index_`, at least
};

} // namespace sqlite
