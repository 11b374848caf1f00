// Where the record is: one file a day in a folder, or one file for ever. Its lines are written and checked in the order
// of the files' names.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace audit {

struct place {
  std::string folder;
  std::string file; ///< its name in the folder; empty: one a day
};

/// `path` is a file if it ends in .log or .jsonl, else a folder; empty: `audit-logs` in the state folder. Without
/// either: no folder.
place place_of(const std::string& path, const std::string& state_folder);

/// "audit-2026-11-21.jsonl", in UTC.
std::string day_file(std::chrono::system_clock::time_point when);
/// Also "audit-2026-11-21_02.jsonl": the second of a day, behind the first in their order.
bool is_day_file(const std::string& name);

/// Day files, in order, that a wrong clock has named: those of days that have not come yet, the next one not counted,
/// into the last of which everything would be written for years; and if there are none but of days before this program,
/// all. Nothing by a clock that is behind this program: then the files are right.
std::vector<std::string> misdated_files(const place& where, std::chrono::system_clock::time_point now);
/// A name for the first of them: behind all that are of days that have come. Empty: there is none.
std::string name_for_late(const std::vector<std::string>& names, std::chrono::system_clock::time_point now);

/// Names, in order; that of a single file if it is there.
std::vector<std::string> files_of(const place& where);

/// Names of day files that are older than so many days, in order. A clock is believed once a file was begun by it
/// before the newest, and then not with everything: no more than an eighth of the files goes at once, or two.
std::vector<std::string> expired_files(const place& where, std::chrono::system_clock::time_point now,
                                       uint32_t retention_days);

/// The file that tells what the last line was: the lock of all who write, and how a line that is missing at the end is
/// found.
std::string head_file(const place& where);

/// `folder/name`.
std::string path_of(const place& where, const std::string& name);

} // namespace audit
