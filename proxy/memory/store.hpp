// Values and saved tools that outlive a run, in one SQLite file. Each belongs to the scope that wrote it, and is
// offered to that scope only, unless a person shares it. Several servers may use one file at once; every write happens
// wholly or not at all.
#pragma once

#include "messages/errors.hpp"
#include "messages/memory.hpp"
#include "process/shared_database.hpp"
#include "proxy/memory/checks.hpp"
#include "proxy/memory/file.hpp"
#include "proxy/memory/passing_owners.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace memory {

using time_point = sqlite::time_point;
using clock = sqlite::clock;

enum class kept_kind : uint8_t { value, tool };

/// One value or tool, of whichever scope.
struct kept {
  int64_t row = 0;
  kept_kind kind = kept_kind::value;
  kept_state state = kept_state::own;
  msg::memory_scope scope;
  std::string name;
  std::string updated_at;
  uint64_t bytes = 0;
};

class store {
public:
  /// The file is `folder`/memory.db. Nothing is opened or made before the first request.
  explicit store(const std::string& folder, clock now = std::chrono::system_clock::now);

  /// One thread at a time; may wait for the disk, and sqlite::busy_max for another server. The answers:
  ///   memory_save   {saved, version}; saved is false when the stored version is not `if_version`: then it is `version`
  ///   memory_load   {key, value, metadata, version, created_at, updated_at}, or null
  ///   memory_list   the same of all keys, without value, in order of key
  ///   tool_save     {name}
  ///   tool_load     {name, source, description, updated_at}, or null
  ///   tool_list     the same of all tools, without source, in order of name
  ///   memory_delete, tool_delete   whether there was one of the scope's own
  /// What is shared is marked by "shared": true, and hidden by what the scope has of the same name; writing makes one
  /// of the scope's own.
  msg::outcome<msg::document> run(const msg::memory_request& request);

  /// What a person should hear of, once: a damaged file was put aside, something is offered to no program. Empty:
  /// nothing.
  std::string take_warning();

  // ---- owners that do not come back, see is_passing() ----

  /// One of that name is there, also if one of that name had ended.
  void began(const std::string& owner);
  /// All that it has kept is deleted, now or, if the file is busy, before a later request; what its programs still save
  /// is refused. What a person has shared of it stays. Of an owner that comes back nothing is deleted.
  msg::fault ended(const msg::memory_scope& scope);
  /// Deletes what is left of such owners by servers that were killed, unless another server has such owners now. Once;
  /// the first request does it as well.
  msg::fault sweep();

  // ---- for a person, who sees all of it ----

  /// In order of kind, name and scope. No file: nothing.
  msg::outcome<std::vector<kept>> all();
  /// The value as JSON text, or the source; as it is now.
  msg::outcome<std::string> content(const kept& which);
  /// Every program gets what it is now; what was shared under that name before is replaced. What its owner writes later
  /// is not shared.
  msg::fault share(const kept& which);
  /// Of something that is shared: no scope gets it any more but its owner.
  msg::fault take_back(const kept& which);
  /// Also what is shared. Those that were still there, as they were looked at.
  msg::outcome<std::vector<kept>> remove(const std::vector<kept>& which);

private:
  msg::outcome<msg::document> perform(const msg::memory_request& request, const written& texts);
  msg::outcome<msg::document> save(const msg::memory_request& request, const written& texts);
  msg::outcome<msg::document> load(const msg::memory_request& request);
  msg::outcome<msg::document> list(const msg::memory_scope& scope);
  msg::outcome<msg::document> save_tool(const msg::memory_request& request);
  msg::outcome<msg::document> load_tool(const msg::memory_request& request);
  msg::outcome<msg::document> list_tools(const msg::memory_scope& scope);
  msg::outcome<msg::document> remove(const char* sql, const msg::memory_request& request);
  msg::fault check_room(const char* count_sql, const std::string& what, const msg::memory_scope& scope,
                        size_t count_max, size_t more_bytes);
  msg::fault check_passing_room(size_t more_bytes);
  msg::fault attend(const msg::memory_request& request);
  msg::fault delete_ended();
  int64_t sweep_some();
  sqlite::database& db() { return shared_.db(); }

  void look_for_unclaimed();

  process::shared_database shared_;
  clock now_;
  passing_presence presence_;
  bool has_looked_ = false;
  bool has_swept_ = false;
  std::deque<std::string> ended_;        ///< owners that do not come back, the last ones
  std::deque<msg::memory_scope> ending_; ///< whose values and tools are to be deleted
  std::string unclaimed_;                ///< a sentence, until it is taken
};

} // namespace memory
