#include "proxy/memory/store.hpp"

#include "messages/limits.hpp"
#include "proxy/memory/checks.hpp"
#include "proxy/memory/file.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace memory {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::document;
using msg::errc;
using msg::fault;
using msg::memory_operation;
using sqlite::iso_time;
using sqlite::statement;
using answer = msg::outcome<document>;

namespace {

/// What a scope may see. One row of each name: its own before what is shared. (In a list, SQLite takes the other
/// columns from the row that has min(state).)
const std::string offered = "((client = ? AND project = ? AND state = 0) OR state = 1)";
const std::string offered_first = offered + " ORDER BY state LIMIT 1";
const std::string find_old =
  "SELECT version, created_at, metadata, state FROM memory WHERE key = ? AND " + offered_first;
const std::string find_value =
  "SELECT value, metadata, version, created_at, updated_at, state FROM memory WHERE key = ? AND " + offered_first;
const std::string find_tool =
  "SELECT source, description, updated_at, state FROM tools WHERE name = ? AND " + offered_first;
const std::string list_values = "SELECT key, metadata, version, created_at, updated_at, min(state) FROM memory WHERE "
                                + offered + " GROUP BY key ORDER BY key";
const std::string list_of_tools =
  "SELECT name, description, updated_at, min(state) FROM tools WHERE " + offered + " GROUP BY name ORDER BY name";

void mark_shared(int64_t state, json::object& to) {
  if (state == static_cast<int64_t>(kept_state::shared))
    to["shared"] = true;
}

json::value value_of(std::string_view text) {
  auto parsed = document::parse(text);
  return parsed.ok() ? parsed.value.value() : json::value{};
}

answer list_too_large() {
  return fault{errc::limit_exceeded, "the list has more than " + std::to_string(limits::memory_list_bytes_max >> 20)
                                       + " MiB of metadata, which is the limit; save some with less"};
}

} // namespace

store::store(const std::string& folder, clock now)
  : shared_(folder, kind_of_file(), now),
    now_(std::move(now)),
    presence_(folder) {}

std::string store::take_warning() {
  auto warning = shared_.take_warning();
  return warning.empty() ? std::exchange(unclaimed_, {}) : warning;
}

/// Once: it may be much work of a person's.
void store::look_for_unclaimed() {
  if (std::exchange(has_looked_, true))
    return;
  statement count{db(),
                  "SELECT (SELECT count(*) FROM memory WHERE state = 2), (SELECT count(*) FROM tools WHERE state = 2)"};
  if (!count.row() || count.integer(0) + count.integer(1) == 0)
    return;
  unclaimed_ = "an older version has kept " + std::to_string(count.integer(0)) + " memory keys and "
               + std::to_string(count.integer(1))
               + " saved tools without saying whose they are: they are offered to nobody. `code-executor memory list` "
                 "shows them, `code-executor memory "
                 "share --unclaimed` offers them to all programs";
}

answer store::run(const msg::memory_request& request) {
  auto texts = check(request);
  if (!texts.ok())
    return std::move(texts.error);
  sweep(); // what stands in its way stands in that of the request, which tells
  if (auto problem = attend(request); problem.code != errc::none)
    return problem;
  return shared_.carry_out([&] {
    look_for_unclaimed();
    return perform(request, texts.value);
  });
}

answer store::perform(const msg::memory_request& r, const written& texts) {
  switch (r.operation) {
    case memory_operation::memory_save: return save(r, texts);
    case memory_operation::memory_load: return load(r);
    case memory_operation::memory_delete:
      return remove("DELETE FROM memory WHERE key = ? AND client = ? AND project = ? AND state = 0", r);
    case memory_operation::memory_list: return list(r.scope);
    case memory_operation::tool_save: return save_tool(r);
    case memory_operation::tool_load: return load_tool(r);
    case memory_operation::tool_delete:
      return remove("DELETE FROM tools WHERE name = ? AND client = ? AND project = ? AND state = 0", r);
    case memory_operation::tool_list: return list_tools(r.scope);
  }
  return fault{errc::invalid_argument, "no such operation of the memory"};
}

/// Inside of a transaction, after what is replaced has been taken out.
fault store::check_room(const char* count_sql, const std::string& what, const msg::memory_scope& scope,
                        size_t count_max, size_t more_bytes) {
  statement count{db(), count_sql};
  if (count.bind(scope.client).bind(scope.project).row() && static_cast<size_t>(count.integer(0)) >= count_max)
    return {errc::limit_exceeded,
            "there are " + std::to_string(count_max) + " " + what + " already, which is the limit; delete some"};
  statement bytes{
    db(),
    "SELECT coalesce(sum(bytes) FILTER (WHERE client = ?1 AND project = ?2 AND state = 0), 0), coalesce(sum(bytes), 0) "
    "FROM "
    "(SELECT bytes, client, project, state FROM memory UNION ALL SELECT bytes, client, project, state FROM tools)"};
  if (!bytes.bind(scope.client).bind(scope.project).row())
    return {};
  if (static_cast<size_t>(bytes.integer(0)) + more_bytes > limits::memory_total_bytes_max)
    return {errc::limit_exceeded, "memory and saved tools would have more than "
                                    + std::to_string(limits::memory_total_bytes_max >> 20)
                                    + " MiB, which is the limit; delete some"};
  if (static_cast<size_t>(bytes.integer(1)) + more_bytes > limits::memory_file_bytes_max)
    return {
      errc::limit_exceeded,
      "memory and saved tools of all clients and projects would have more than "
        + std::to_string(limits::memory_file_bytes_max >> 20)
        + " MiB, which is the limit; `code-executor memory list` tells a person whose they are, and `code-executor "
          "memory delete` makes room"};
  return is_passing(scope.client) ? check_passing_room(more_bytes) : fault{};
}

answer store::save(const msg::memory_request& r, const written& texts) {
  db().execute("BEGIN IMMEDIATE");
  int64_t version = 0;
  auto now = iso_time(now_());
  auto created = now;
  auto metadata = texts.metadata;
  {
    statement old{db(), find_old.c_str()};
    if (old.bind(r.key).bind(r.scope.client).bind(r.scope.project).row()) {
      version = old.integer(0);
      if (old.integer(3) == static_cast<int64_t>(kept_state::own))
        created = old.text(1);
      if (!r.has_metadata)
        metadata = old.text(2);
    }
  }
  if (r.if_version != msg::memory_request::any_version && r.if_version != version)
    return document{json::object{{"saved", false}, {"version", version}}};
  statement{db(), "DELETE FROM memory WHERE key = ? AND client = ? AND project = ? AND state = 0"}
    .bind(r.key)
    .bind(r.scope.client)
    .bind(r.scope.project)
    .run();
  auto bytes = r.key.size() + texts.value.size() + metadata.size();
  if (auto full = check_room("SELECT count(*) FROM memory WHERE client = ? AND project = ? AND state = 0",
                             "memory keys", r.scope, limits::memory_keys_max, bytes);
      full.code != errc::none)
    return full;
  db().execute("UPDATE counter SET last_version = last_version + 1");
  statement insert{db(),
                   "INSERT INTO memory SELECT ?, ?, 0, ?, ?, ?, last_version, ?, ?, ? FROM counter RETURNING version"};
  insert.bind(r.scope.client)
    .bind(r.scope.project)
    .bind(r.key)
    .bind(texts.value)
    .bind(metadata)
    .bind(static_cast<int64_t>(bytes));
  insert.bind(created).bind(now);
  if (insert.row())
    version = insert.integer(0);
  insert.run();
  db().execute("COMMIT");
  return document{json::object{{"saved", true}, {"version", version}}};
}

answer store::load(const msg::memory_request& r) {
  statement found{db(), find_value.c_str()};
  if (!found.bind(r.key).bind(r.scope.client).bind(r.scope.project).row())
    return document{};
  auto value = document::parse(found.text(0));
  if (!value.ok())
    return fault{errc::internal, "the value of '" + text::quoted(r.key, quoted_bytes_max) + "' in " + shared_.path()
                                   + " is damaged; save it anew"};
  json::object out{{"key", r.key},
                   {"value", value.value.value()},
                   {"metadata", value_of(found.text(1))},
                   {"version", found.integer(2)},
                   {"created_at", found.text(3)},
                   {"updated_at", found.text(4)}};
  mark_shared(found.integer(5), out);
  return document{std::move(out)};
}

answer store::list(const msg::memory_scope& scope) {
  statement found{db(), list_values.c_str()};
  found.bind(scope.client).bind(scope.project);
  json::array out;
  size_t bytes = 0;
  while (found.row()) {
    bytes += found.text(0).size() + found.text(1).size();
    if (bytes > limits::memory_list_bytes_max)
      return list_too_large();
    json::object one{{"key", found.text(0)},
                     {"metadata", value_of(found.text(1))},
                     {"version", found.integer(2)},
                     {"created_at", found.text(3)},
                     {"updated_at", found.text(4)}};
    mark_shared(found.integer(5), one);
    out.push_back(std::move(one));
  }
  return document{std::move(out)};
}

answer store::save_tool(const msg::memory_request& r) {
  db().execute("BEGIN IMMEDIATE");
  statement{db(), "DELETE FROM tools WHERE name = ? AND client = ? AND project = ? AND state = 0"}
    .bind(r.key)
    .bind(r.scope.client)
    .bind(r.scope.project)
    .run();
  auto bytes = r.key.size() + r.source.size() + r.description.size();
  if (auto full = check_room("SELECT count(*) FROM tools WHERE client = ? AND project = ? AND state = 0", "saved tools",
                             r.scope, limits::saved_tools_max, bytes);
      full.code != errc::none)
    return full;
  auto now = iso_time(now_());
  statement insert{db(), "INSERT INTO tools VALUES(?, ?, 0, ?, ?, ?, ?, ?)"};
  insert.bind(r.scope.client)
    .bind(r.scope.project)
    .bind(r.key)
    .bind(r.source)
    .bind(r.description)
    .bind(static_cast<int64_t>(bytes))
    .bind(now)
    .run();
  db().execute("COMMIT");
  return document{json::object{{"name", r.key}}};
}

answer store::load_tool(const msg::memory_request& r) {
  statement found{db(), find_tool.c_str()};
  if (!found.bind(r.key).bind(r.scope.client).bind(r.scope.project).row())
    return document{};
  json::object out{
    {"name", r.key}, {"source", found.text(0)}, {"description", found.text(1)}, {"updated_at", found.text(2)}};
  mark_shared(found.integer(3), out);
  return document{std::move(out)};
}

answer store::list_tools(const msg::memory_scope& scope) {
  statement found{db(), list_of_tools.c_str()};
  found.bind(scope.client).bind(scope.project);
  json::array out;
  size_t bytes = 0;
  while (found.row()) {
    bytes += found.text(0).size() + found.text(1).size();
    if (bytes > limits::memory_list_bytes_max)
      return list_too_large();
    json::object one{{"name", found.text(0)}, {"description", found.text(1)}, {"updated_at", found.text(2)}};
    mark_shared(found.integer(3), one);
    out.push_back(std::move(one));
  }
  return document{std::move(out)};
}

/// What is shared stays: a person has shared it.
answer store::remove(const char* sql, const msg::memory_request& r) {
  statement{db(), sql}.bind(r.key).bind(r.scope.client).bind(r.scope.project).run();
  return document{json::value(db().changes() > 0)};
}

} // namespace memory
