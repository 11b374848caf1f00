// What the last `code-executor sync-wrappers` did, for who asks later: one small file in the state folder.
#pragma once

#include "messages/errors.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cli {

/// Of the whole file. What is longer is not ours.
inline constexpr size_t sync_record_bytes_max = 16u << 10;
/// Of the error and of the folder in it.
inline constexpr size_t sync_record_text_bytes_max = 2'000;

struct sync_record {
  int64_t time_s = 0; ///< since 1970
  std::string folder;
  uint64_t added = 0, changed = 0, removed = 0, unchanged = 0; ///< files
  std::string error;                                           ///< empty: it went well
};

std::string sync_record_path(const std::string& state_folder);

/// In place of the last one. What can not be written is not: the wrappers count.
void keep_sync_record(const std::string& state_folder, const sync_record& record);

/// Nothing: there is none, or it is damaged.
std::optional<sync_record> read_sync_record(const std::string& state_folder);

/// "2026-11-28 05:17 UTC: 3 files added, 1 changed, 2 removed in FOLDER". May have anything in it that a file can have.
std::string told(const sync_record& record);
boost::json::object as_json(const sync_record& record);

} // namespace cli
