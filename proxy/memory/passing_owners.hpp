// Owners that do not come back: clients over HTTP without a token. What they have kept is of use to nobody once they
// have ended.
#pragma once

#include "messages/errors.hpp"
#include "messages/limits.hpp"
#include "process/child.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memory {

/// Of all owners that do not come back together, values and tools: however many there are, three quarters of the room
/// stay for those that do.
inline constexpr size_t passing_bytes_max = msg::limits::memory_file_bytes_max / 4;

/// Whether the client of a scope is one that does not come back, by its name: "session " and an id, or "connection "
/// and a number, with a "-" and what is its process's own before that or not. No program's own name is one:
/// passing_free_name.
bool is_passing(std::string_view client);

/// The same of the column `client`, as a condition of SQL without parameters.
extern const std::string is_passing_sql;

/// The name that a program gives itself, made another one if an owner that does not come back, or a token, could have
/// it.
std::string passing_free_name(std::string name);

/// That owners which do not come back live in this process: another server may use the same file, and tells what is
/// left over from what is theirs by it. A lock on `folder`/memory.lock, which ends with the process at the latest.
class passing_presence {
public:
  explicit passing_presence(const std::string& folder) : path_(folder + "/memory.lock") {}

  /// From now on none of other servers is alone. Waits for one that sweeps, sqlite::busy_max at most.
  msg::fault stay();
  bool is_staying() const { return is_staying_; }
  /// Whether no server, this one included, has such owners. Then none begins to until leave() or stay().
  bool be_alone();
  void leave();

private:
  bool lock(int how);

  std::string path_;
  process::descriptor file_;
  bool is_staying_ = false;
};

} // namespace memory
