// Values and saved tools that outlive a run, in one SQLite file. Several servers may use one file at once; every write
// happens wholly or not at all.
#pragma once

#include "memory/checks.hpp"
#include "messages/errors.hpp"
#include "messages/memory.hpp"
#include "sqlite/shared_database.hpp"

#include <string>

namespace memory {

using time_point = sqlite::time_point;
using clock = sqlite::clock;

class store {
public:
  /// The file is `folder`/memory.db. Nothing is opened or made before the first request.
  explicit store(std::string folder, clock now = std::chrono::system_clock::now);

  /// One thread at a time; may wait for the disk, and database_busy_max for another server. The answers:
  ///   memory_save   {saved, version}; saved is false when the stored version is not `if_version`: then it is `version`
  ///   memory_load   {key, value, metadata, version, created_at, updated_at}, or null
  ///   memory_list   the same of all keys, without value, in order of key
  ///   tool_save     {name}
  ///   tool_load     {name, source, description, updated_at}, or null
  ///   tool_list     the same of all tools, without source, in order of name
  ///   memory_delete, tool_delete   whether there was one
  msg::outcome<msg::document> run(const msg::memory_request& request);

  /// What a person should hear of, once: a damaged file was put aside. Empty: nothing.
  std::string take_warning();

private:
  msg::outcome<msg::document> perform(const msg::memory_request& request, const written& texts);
  msg::outcome<msg::document> save(const msg::memory_request& request, const written& texts);
  msg::outcome<msg::document> load(const std::string& key);
  msg::outcome<msg::document> list();
  msg::outcome<msg::document> save_tool(const msg::memory_request& request);
  msg::outcome<msg::document> load_tool(const std::string& name);
  msg::outcome<msg::document> list_tools();
  msg::outcome<msg::document> remove(const char* sql, const std::string& key);
  msg::fault check_room(const char* count_sql, const std::string& what, size_t count_max, size_t more_bytes);
  sqlite::database& db() { return shared_.db(); }

  sqlite::shared_database shared_;
  clock now_;
};

} // namespace memory
