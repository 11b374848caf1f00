#include "memory/store.hpp"

#include "messages/limits.hpp"
#include "messages/utf8.hpp"

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

constexpr size_t quoted_bytes_max = 60;

/// Versions of values come from one counter: a key that was deleted and made anew is never taken for the old one.
const sqlite::file_kind file_kind{"memory", "memory.db", 0x436F6445, 1, R"(
  CREATE TABLE memory(key BLOB PRIMARY KEY, value BLOB NOT NULL, metadata BLOB NOT NULL, version INTEGER NOT NULL,
                      bytes INTEGER NOT NULL, created_at BLOB NOT NULL, updated_at BLOB NOT NULL);
  CREATE TABLE tools(name BLOB PRIMARY KEY, source BLOB NOT NULL, description BLOB NOT NULL,
                     bytes INTEGER NOT NULL, updated_at BLOB NOT NULL);
  CREATE TABLE counter(last_version INTEGER NOT NULL);
  CREATE INDEX memory_bytes ON memory(bytes);
  CREATE INDEX tools_bytes ON tools(bytes);
  INSERT INTO counter VALUES(0);
)", sqlite::examination::whole, ""};

json::value value_of(std::string_view text) {
  auto parsed = document::parse(text);
  return parsed.ok() ? parsed.value.value() : json::value{};
}

answer list_too_large() {
  return fault{errc::limit_exceeded, "the list has more than " + std::to_string(limits::memory_list_bytes_max >> 20)
                                       + " MiB of metadata, which is the limit; save some with less"};
}

} // namespace

store::store(std::string folder, clock now) : shared_(std::move(folder), file_kind, now), now_(std::move(now)) {}

std::string store::take_warning() { return shared_.take_warning(); }

answer store::run(const msg::memory_request& request) {
  auto texts = check(request);
  if (!texts.ok())
    return std::move(texts.error);
  return shared_.carry_out([&] { return perform(request, texts.value); });
}

answer store::perform(const msg::memory_request& r, const written& texts) {
  switch (r.operation) {
    case memory_operation::memory_save: return save(r, texts);
    case memory_operation::memory_load: return load(r.key);
    case memory_operation::memory_delete: return remove("DELETE FROM memory WHERE key = ?", r.key);
    case memory_operation::memory_list: return list();
    case memory_operation::tool_save: return save_tool(r);
    case memory_operation::tool_load: return load_tool(r.key);
    case memory_operation::tool_delete: return remove("DELETE FROM tools WHERE name = ?", r.key);
    case memory_operation::tool_list: return list_tools();
  }
  return fault{errc::invalid_argument, "no such operation of the memory"};
}

/// Inside of a transaction, after what is replaced has been taken out.
fault store::check_room(const char* count_sql, const std::string& what, size_t count_max, size_t more_bytes) {
  statement count{db(), count_sql};
  if (count.row() && static_cast<size_t>(count.integer(0)) >= count_max)
    return {errc::limit_exceeded, "there are " + std::to_string(count_max) + " " + what + " already, which is the limit; delete some"};
  statement bytes{db(), "SELECT (SELECT coalesce(sum(bytes), 0) FROM memory) + (SELECT coalesce(sum(bytes), 0) FROM tools)"};
  if (bytes.row() && static_cast<size_t>(bytes.integer(0)) + more_bytes > limits::memory_total_bytes_max)
    return {errc::limit_exceeded, "memory and saved tools would have more than " + std::to_string(limits::memory_total_bytes_max >> 20)
                                    + " MiB, which is the limit; delete some"};
  return {};
}

answer store::save(const msg::memory_request& r, const written& texts) {
  db().execute("BEGIN IMMEDIATE");
  int64_t version = 0;
  auto now = iso_time(now_());
  auto created = now;
  auto metadata = texts.metadata;
  {
    statement old{db(), "SELECT version, created_at, metadata FROM memory WHERE key = ?"};
    if (old.bind(r.key).row()) {
      version = old.integer(0);
      created = old.text(1);
      if (!r.has_metadata)
        metadata = old.text(2);
    }
  }
  if (r.if_version != msg::memory_request::any_version && r.if_version != version)
    return document{json::object{{"saved", false}, {"version", version}}};
  statement{db(), "DELETE FROM memory WHERE key = ?"}.bind(r.key).run();
  auto bytes = r.key.size() + texts.value.size() + metadata.size();
  if (auto full = check_room("SELECT count(*) FROM memory", "memory keys", limits::memory_keys_max, bytes); full.code != errc::none)
    return full;
  db().execute("UPDATE counter SET last_version = last_version + 1");
  statement insert{db(), "INSERT INTO memory SELECT ?, ?, ?, last_version, ?, ?, ? FROM counter RETURNING version"};
  insert.bind(r.key).bind(texts.value).bind(metadata).bind(static_cast<int64_t>(bytes)).bind(created).bind(now);
  if (insert.row())
    version = insert.integer(0);
  insert.run();
  db().execute("COMMIT");
  return document{json::object{{"saved", true}, {"version", version}}};
}

answer store::load(const std::string& key) {
  statement found{db(), "SELECT value, metadata, version, created_at, updated_at FROM memory WHERE key = ?"};
  if (!found.bind(key).row())
    return document{};
  auto value = document::parse(found.text(0));
  if (!value.ok())
    return fault{errc::internal, "the value of '" + msg::quoted(key, quoted_bytes_max) + "' in " + shared_.path() + " is damaged; save it anew"};
  return document{json::object{{"key", key},
                               {"value", value.value.value()},
                               {"metadata", value_of(found.text(1))},
                               {"version", found.integer(2)},
                               {"created_at", found.text(3)},
                               {"updated_at", found.text(4)}}};
}

answer store::list() {
  statement found{db(), "SELECT key, metadata, version, created_at, updated_at FROM memory ORDER BY key"};
  json::array out;
  size_t bytes = 0;
  while (found.row()) {
    bytes += found.text(0).size() + found.text(1).size();
    if (bytes > limits::memory_list_bytes_max)
      return list_too_large();
    out.push_back(json::object{{"key", found.text(0)},
                               {"metadata", value_of(found.text(1))},
                               {"version", found.integer(2)},
                               {"created_at", found.text(3)},
                               {"updated_at", found.text(4)}});
  }
  return document{std::move(out)};
}

answer store::save_tool(const msg::memory_request& r) {
  db().execute("BEGIN IMMEDIATE");
  statement{db(), "DELETE FROM tools WHERE name = ?"}.bind(r.key).run();
  auto bytes = r.key.size() + r.source.size() + r.description.size();
  if (auto full = check_room("SELECT count(*) FROM tools", "saved tools", limits::saved_tools_max, bytes); full.code != errc::none)
    return full;
  auto now = iso_time(now_());
  statement insert{db(), "INSERT INTO tools VALUES(?, ?, ?, ?, ?)"};
  insert.bind(r.key).bind(r.source).bind(r.description).bind(static_cast<int64_t>(bytes)).bind(now).run();
  db().execute("COMMIT");
  return document{json::object{{"name", r.key}}};
}

answer store::load_tool(const std::string& name) {
  statement found{db(), "SELECT source, description, updated_at FROM tools WHERE name = ?"};
  if (!found.bind(name).row())
    return document{};
  return document{json::object{{"name", name}, {"source", found.text(0)}, {"description", found.text(1)}, {"updated_at", found.text(2)}}};
}

answer store::list_tools() {
  statement found{db(), "SELECT name, description, updated_at FROM tools ORDER BY name"};
  json::array out;
  size_t bytes = 0;
  while (found.row()) {
    bytes += found.text(0).size() + found.text(1).size();
    if (bytes > limits::memory_list_bytes_max)
      return list_too_large();
    out.push_back(json::object{{"name", found.text(0)}, {"description", found.text(1)}, {"updated_at", found.text(2)}});
  }
  return document{std::move(out)};
}

answer store::remove(const char* sql, const std::string& key) {
  statement{db(), sql}.bind(key).run();
  return document{json::value(db().changes() > 0)};
}

} // namespace memory
