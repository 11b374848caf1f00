// What a person may do with all that is kept: see it, and share it.
#include "messages/limits.hpp"
#include "proxy/memory/store.hpp"

#include <utility>

namespace memory {

using msg::errc;
using msg::fault;
using sqlite::statement;

namespace {

fault gone(const kept& which) {
  return {errc::unknown_handle,
          "'" + which.name
            + "' is not kept any more, or was written anew just now; look again with `code-executor memory list`"};
}

bool is_value(const kept& which) { return which.kind == kept_kind::value; }

} // namespace

msg::outcome<std::vector<kept>> store::all() {
  std::vector<kept> out;
  if (!shared_.exists())
    return out;
  auto problem = shared_.carry_out([&]() -> fault {
    out.clear();
    statement found{
      db(), "SELECT 0, rowid, state, client, project, key AS name, updated_at, bytes FROM memory UNION ALL "
            "SELECT 1, rowid, state, client, project, name, updated_at, bytes FROM tools ORDER BY 1, 6, 3, 4, 5"};
    while (found.row())
      out.push_back({found.integer(1), found.integer(0) == 0 ? kept_kind::value : kept_kind::tool,
                     static_cast<kept_state>(found.integer(2)),
                     msg::memory_scope{std::string{found.text(3)}, std::string{found.text(4)}},
                     std::string{found.text(5)}, std::string{found.text(6)}, static_cast<uint64_t>(found.integer(7))});
    return {};
  });
  if (problem.code != errc::none)
    return problem;
  return out;
}

/// A row that was deleted may have given its number to another: name and time say whether it is the same.
msg::outcome<std::string> store::content(const kept& which) {
  return shared_.carry_out([&]() -> msg::outcome<std::string> {
    statement found{db(), is_value(which) ? "SELECT value FROM memory WHERE rowid = ? AND key = ? AND updated_at = ?"
                                          : "SELECT source FROM tools WHERE rowid = ? AND name = ? AND updated_at = ?"};
    if (!found.bind(which.row).bind(which.name).bind(which.updated_at).row())
      return gone(which);
    return std::string{found.text(0)};
  });
}

fault store::share(const kept& which) {
  return shared_.carry_out([&]() -> fault {
    db().execute("BEGIN IMMEDIATE");
    statement{db(), is_value(which) ? "DELETE FROM memory WHERE key = ? AND state = 1"
                                    : "DELETE FROM tools WHERE name = ? AND state = 1"}
      .bind(which.name)
      .run();
    if (is_value(which))
      db().execute("UPDATE counter SET last_version = last_version + 1");
    statement copy{
      db(), is_value(which)
              ? "INSERT INTO memory SELECT client, project, 1, key, value, metadata, last_version, bytes, created_at, "
                "updated_at "
                "FROM memory, counter WHERE memory.rowid = ? AND key = ? AND updated_at = ?"
              : "INSERT INTO tools SELECT client, project, 1, name, source, description, bytes, updated_at FROM tools "
                "WHERE rowid = ? AND name = ? AND updated_at = ?"};
    copy.bind(which.row).bind(which.name).bind(which.updated_at).run();
    if (db().ok() && db().changes() == 0)
      return gone(which);
    db().execute("COMMIT");
    return {};
  });
}

fault store::take_back(const kept& which) {
  return shared_.carry_out([&]() -> fault {
    statement{db(), is_value(which) ? "DELETE FROM memory WHERE key = ? AND state = 1"
                                    : "DELETE FROM tools WHERE name = ? AND state = 1"}
      .bind(which.name)
      .run();
    return db().ok() && db().changes() == 0 ? gone(which) : fault{};
  });
}

} // namespace memory
