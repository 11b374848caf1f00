// What is left by owners that do not come back, and by what a person deletes.
#include "proxy/memory/passing_owners.hpp"
#include "proxy/memory/store.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace memory {

using msg::errc;
using msg::fault;
using msg::memory_operation;
using sqlite::statement;

namespace {

/// Owners that have ended: late requests of their programs write nothing that nobody deletes.
constexpr size_t ended_owners_max = 4'096;
/// In one transaction: a row may have a megabyte, and other servers write between two of them.
constexpr int64_t swept_rows_max = 64;
/// At one start; what is more is left to the next one.
constexpr int64_t swept_in_all_max = 4'000'000;
constexpr size_t deleted_at_once_max = 64;

bool is_writing(memory_operation operation) {
  return operation == memory_operation::memory_save || operation == memory_operation::tool_save;
}

} // namespace

// ---- owners that do not come back ----

/// Before a request of theirs: while one writes, no other server takes what it has for left over.
fault store::attend(const msg::memory_request& r) {
  if (!ending_.empty())
    delete_ended();
  if (!is_passing(r.scope.client) || !is_writing(r.operation))
    return {};
  if (std::find(ended_.begin(), ended_.end(), r.scope.client) != ended_.end())
    return {errc::cancelled, "the client of this program has left; nothing is kept for it any more"};
  // Without a folder there is no file to lock, and nothing that could be swept.
  auto made = shared_.exists() ? fault{} : shared_.carry_out([] { return fault{}; });
  return made.code == errc::none ? presence_.stay() : made;
}

void store::began(const std::string& owner) { std::erase(ended_, owner); }

fault store::ended(const msg::memory_scope& scope) {
  if (!is_passing(scope.client))
    return {};
  ended_.push_back(scope.client);
  if (ended_.size() > ended_owners_max)
    ended_.pop_front();
  if (!presence_.is_staying()) // no such owner has written anything
    return {};
  ending_.push_back(scope);
  if (ending_.size() > ended_owners_max)
    ending_.pop_front();
  return delete_ended();
}

/// What can not be done now is done later.
fault store::delete_ended() {
  if (!shared_.exists())
    return ending_.clear(), fault{};
  while (!ending_.empty()) {
    auto problem = shared_.carry_out([&]() -> fault {
      db().execute("BEGIN IMMEDIATE");
      for (auto* sql : {"DELETE FROM memory WHERE client = ? AND project = ? AND state = 0",
                        "DELETE FROM tools WHERE client = ? AND project = ? AND state = 0"})
        statement{db(), sql}.bind(ending_.front().client).bind(ending_.front().project).run();
      db().execute("COMMIT");
      return {};
    });
    if (problem.code != errc::none)
      return problem;
    ending_.pop_front();
  }
  return {};
}

/// Inside of a transaction.
int64_t store::sweep_some() {
  auto some = " WHERE state = 0 AND " + is_passing_sql + " LIMIT " + std::to_string(swept_rows_max) + ")";
  int64_t out = 0;
  for (std::string begin : {"DELETE FROM memory WHERE rowid IN (SELECT rowid FROM memory",
                            "DELETE FROM tools WHERE rowid IN (SELECT rowid FROM tools"}) {
    statement{db(), (begin += some).c_str()}.run();
    out += db().changes();
  }
  return out;
}

fault store::sweep() {
  if (has_swept_ || !shared_.exists())
    return has_swept_ = true, fault{};
  bool is_anything_left = false;
  auto problem = shared_.carry_out([&]() -> fault {
    auto sql = "SELECT (SELECT count(*) FROM memory WHERE state = 0 AND " + is_passing_sql
               + ") + (SELECT count(*) FROM tools WHERE state = 0 AND " + is_passing_sql + ")";
    statement left{db(), sql.c_str()};
    is_anything_left = left.row() && left.integer(0) > 0;
    return {};
  });
  is_anything_left = is_anything_left && problem.code == errc::none && presence_.be_alone();
  for (auto left = swept_in_all_max; is_anything_left && left > 0; left -= swept_rows_max) {
    problem = shared_.carry_out([&]() -> fault {
      db().execute("BEGIN IMMEDIATE");
      is_anything_left = sweep_some() > 0;
      db().execute("COMMIT");
      return {};
    });
    is_anything_left = is_anything_left && problem.code == errc::none;
  }
  if (!presence_.is_staying())
    presence_.leave();
  has_swept_ = problem.code == errc::none;
  return problem;
}

/// Inside of a transaction, after what is replaced has been taken out.
fault store::check_passing_room(size_t more_bytes) {
  auto sql = "SELECT coalesce(sum(bytes), 0) FROM (SELECT bytes FROM memory WHERE state = 0 AND " + is_passing_sql
             + " UNION ALL SELECT bytes FROM tools WHERE state = 0 AND " + is_passing_sql + ")";
  statement bytes{db(), sql.c_str()};
  if (!bytes.row() || static_cast<size_t>(bytes.integer(0)) + more_bytes <= passing_bytes_max)
    return {};
  return {errc::limit_exceeded,
          "memory and saved tools of all clients without a token, which do not come back, would have more than "
            + std::to_string(passing_bytes_max >> 20)
            + " MiB, which is the limit; delete some, or wait until others of them have ended. A client with a token "
              "(`code-executor token new NAME`) has room of its own, and `code-executor memory delete` lets a person "
              "make room"};
}

// ---- what a person deletes ----

msg::outcome<std::vector<kept>> store::remove(const std::vector<kept>& which) {
  std::vector<kept> out;
  for (size_t begin = 0; begin < which.size(); begin += deleted_at_once_max) {
    auto end = std::min(begin + deleted_at_once_max, which.size());
    std::vector<kept> gone;
    auto problem = shared_.carry_out([&]() -> fault {
      gone.clear();
      db().execute("BEGIN IMMEDIATE");
      for (auto i = begin; i < end; ++i) {
        auto& k = which[i];
        statement{db(), k.kind == kept_kind::value
                          ? "DELETE FROM memory WHERE rowid = ? AND key = ? AND updated_at = ?"
                          : "DELETE FROM tools WHERE rowid = ? AND name = ? AND updated_at = ?"}
          .bind(k.row)
          .bind(k.name)
          .bind(k.updated_at)
          .run();
        if (db().changes() > 0)
          gone.push_back(k);
      }
      db().execute("COMMIT");
      return {};
    });
    if (problem.code != errc::none)
      return problem;
    std::move(gone.begin(), gone.end(), std::back_inserter(out));
  }
  return out;
}

} // namespace memory
