#include "catalog/store.hpp"

#include "catalog/entry_digest.hpp"
#include "text/digest.hpp"

#include <utility>

namespace catalog {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using sqlite::statement;

namespace {

/// Times are seconds since 1970. What is said of a server is removed with it.
const sqlite::file_kind file_kind{"catalog of tools",
                                  "catalog.db",
                                  0x436F6443,
                                  2,
                                  R"(
  CREATE TABLE servers(id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, name BLOB NOT NULL, source BLOB NOT NULL,
                       content BLOB NOT NULL, tools INTEGER NOT NULL, bytes INTEGER NOT NULL, seen_at INTEGER NOT NULL);
  CREATE TABLE tools(id INTEGER PRIMARY KEY, server INTEGER NOT NULL, position INTEGER NOT NULL, name BLOB NOT NULL,
                     description BLOB NOT NULL, definition BLOB NOT NULL);
  CREATE UNIQUE INDEX tools_place ON tools(server, position);
  CREATE TABLE observed(server INTEGER NOT NULL, tool BLOB NOT NULL, schema BLOB NOT NULL, samples INTEGER NOT NULL,
                        version INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY(server, tool));
  CREATE TRIGGER forget AFTER DELETE ON servers BEGIN
    DELETE FROM tools WHERE server = OLD.id;
    DELETE FROM observed WHERE server = OLD.id;
  END;
)",
                                  sqlite::examination::header,
                                  ": tools are found again when their servers have been connected",
                                  {"DELETE FROM observed"}}; // in format 1, values of results were in it

constexpr int64_t seconds_a_day = 86'400;

int64_t number(size_t n) { return static_cast<int64_t>(n); }

} // namespace

std::string digest_of(const msg::tool_list& tools) {
  text::digest d;
  for (auto& t : tools)
    d.add(t.name).add(t.description).add(t.definition.text());
  return d.hex();
}

store::store(std::string folder, clock now)
  : shared_(folder, file_kind, now),
    now_(std::move(now)),
    is_possible_(!folder.empty()) {}

bool store::is_empty() const { return !is_possible_ || !shared_.exists(); }

std::string store::take_warning() { return shared_.take_warning(); }

int64_t store::seconds_now() const {
  return std::chrono::duration_cast<std::chrono::seconds>(now_().time_since_epoch()).count();
}

// ---- reading -----------------------------------------------------------------------------------

bool store::has_changed() {
  if (is_empty())
    return std::exchange(seen_openings_, shared_.openings()) != shared_.openings();
  int64_t version = data_version_;
  auto problem = shared_.carry_out([&]() -> fault {
    statement look{db(), "PRAGMA data_version"};
    if (look.row())
      version = look.integer(0);
    return {};
  });
  if (problem.code != errc::none)
    return false; // what it was before still counts
  bool is_other = std::exchange(data_version_, version) != version;
  bool is_reopened = std::exchange(seen_openings_, shared_.openings()) != shared_.openings();
  return is_reopened || is_other;
}

msg::outcome<std::vector<stored_server>> store::servers() {
  std::vector<stored_server> out;
  if (is_empty())
    return out;
  auto problem = shared_.carry_out([&]() -> fault {
    out.clear();
    statement all{db(), "SELECT digest, content, tools FROM servers"};
    while (all.row())
      out.push_back({std::string{all.text(0)}, std::string{all.text(1)}, static_cast<uint32_t>(all.integer(2))});
    return {};
  });
  if (problem.code != errc::none)
    return problem;
  return out;
}

fault store::read(const std::string& digest, const tool_reader& take) {
  return shared_.carry_out([&]() -> fault {
    statement tools{db(), "SELECT t.name, description, definition FROM servers s JOIN tools t ON t.server = s.id WHERE "
                          "digest = ? ORDER BY position"};
    tools.bind(digest);
    while (tools.row())
      take(tools.text(0), tools.text(1), tools.text(2));
    return {};
  });
}

fault store::read(const std::vector<place>& places, const place_reader& take) {
  return shared_.carry_out([&]() -> fault {
    statement tool{db(), "SELECT t.name, description, definition FROM servers s JOIN tools t ON t.server = s.id WHERE "
                         "digest = ? AND position = ?"};
    for (size_t i = 0; i < places.size(); ++i) {
      if (tool.bind(places[i].digest).bind(int64_t{places[i].position}).row()
          && !take(i, tool.text(0), tool.text(1), tool.text(2)))
        break;
      tool.again();
    }
    return {};
  });
}

// ---- writing -----------------------------------------------------------------------------------

void store::insert(int64_t server, const msg::tool_list& tools, const std::vector<std::string>& definitions) {
  statement add{db(), "INSERT INTO tools(server, position, name, description, definition) VALUES(?, ?, ?, ?, ?)"};
  for (size_t i = 0; i < tools.size() && db().ok(); ++i) {
    add.bind(server).bind(number(i)).bind(tools[i].name).bind(tools[i].description).bind(definitions[i]).run();
    add.again();
  }
}

fault store::replace(const msg::server_entry& entry, const std::string& digest, const msg::tool_list& tools) {
  size_t bytes = 0;
  text::digest content;
  std::vector<std::string> definitions;
  for (auto& t : tools) {
    definitions.push_back(t.definition.text());
    bytes += t.name.size() + t.description.size() + definitions.back().size();
    content.add(t.name).add(t.description).add(definitions.back());
    if (bytes > limits::catalog_server_bytes_max)
      return {errc::limit_exceeded, "the tools of server '" + entry.name + "' have more than "
                                      + std::to_string(limits::catalog_server_bytes_max >> 20)
                                      + " MiB, which is the limit of what is stored"};
  }
  auto digest_of_content = content.hex();
  return shared_.carry_out([&]() -> fault {
    auto now = seconds_now();
    db().execute("BEGIN IMMEDIATE");
    int64_t id = 0;
    bool is_same = false, is_recent = false;
    {
      statement old{db(), "SELECT id, content, seen_at FROM servers WHERE digest = ?"};
      if (old.bind(digest).row()) {
        id = old.integer(0);
        is_same = old.text(1) == digest_of_content;
        is_recent = now - old.integer(2) < seconds_a_day;
      }
    }
    if (is_same && is_recent)
      return {};
    if (is_same) {
      statement{db(), "UPDATE servers SET seen_at = ? WHERE id = ?"}.bind(now).bind(id).run();
      db().execute("COMMIT");
      return {};
    }
    statement keep{
      db(),
      "INSERT INTO servers(digest, name, source, content, tools, bytes, seen_at) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) "
      "ON CONFLICT(digest) DO UPDATE SET source = ?3, content = ?4, tools = ?5, bytes = ?6, seen_at = ?7 RETURNING id"};
    keep.bind(digest)
      .bind(entry.name)
      .bind(entry.source)
      .bind(digest_of_content)
      .bind(number(tools.size()))
      .bind(number(bytes))
      .bind(now);
    if (keep.row())
      id = keep.integer(0);
    keep.run();
    statement{db(), "DELETE FROM tools WHERE server = ?"}.bind(id).run();
    insert(id, tools, definitions);
    db().execute("COMMIT");
    return {};
  });
}

fault store::touch(const std::vector<std::string>& digests) {
  if (is_empty())
    return {};
  return shared_.carry_out([&]() -> fault {
    std::vector<int64_t> old;
    for (auto& digest : digests) {
      statement look{db(), "SELECT id FROM servers WHERE digest = ? AND seen_at < ?"};
      if (look.bind(digest).bind(seconds_now() - seconds_a_day).row())
        old.push_back(look.integer(0));
    }
    if (old.empty())
      return {};
    db().execute("BEGIN IMMEDIATE");
    for (auto id : old)
      statement{db(), "UPDATE servers SET seen_at = ? WHERE id = ?"}.bind(seconds_now()).bind(id).run();
    db().execute("COMMIT");
    return {};
  });
}

fault store::sweep(size_t bytes_max) {
  if (is_empty())
    return {};
  return shared_.carry_out([&]() -> fault {
    std::vector<int64_t> forgotten;
    {
      auto too_old = seconds_now() - std::chrono::seconds{limits::catalog_unseen_max}.count();
      statement all{db(), "SELECT id, bytes, seen_at FROM servers ORDER BY seen_at DESC, id DESC"};
      size_t bytes = 0;
      while (all.row()) {
        bytes += static_cast<size_t>(all.integer(1));
        if (all.integer(2) < too_old || bytes > bytes_max)
          forgotten.push_back(all.integer(0));
      }
    }
    if (forgotten.empty())
      return {};
    db().execute("BEGIN IMMEDIATE");
    for (auto id : forgotten)
      statement{db(), "DELETE FROM servers WHERE id = ?"}.bind(id).run();
    db().execute("COMMIT");
    return {};
  });
}

// ---- what was learned of results ---------------------------------------------------------------

msg::outcome<stored_shape> store::observed(const std::string& digest, const std::string& tool) {
  stored_shape out;
  if (is_empty())
    return out;
  auto problem = shared_.carry_out([&]() -> fault {
    statement found{db(), "SELECT schema, samples, o.version FROM servers s JOIN observed o ON o.server = s.id WHERE "
                          "digest = ? AND tool = ?"};
    if (!found.bind(digest).bind(tool).row())
      return {};
    out.counts = msg::document::parse(found.text(0)).value;
    out.samples = static_cast<uint32_t>(found.integer(1));
    out.version = static_cast<uint32_t>(found.integer(2));
    return {};
  });
  if (problem.code != errc::none)
    return problem;
  return out;
}

fault store::observe(const std::string& digest, const std::string& tool, const stored_shape& shape) {
  auto counts = shape.counts.text();
  if (counts.size() > limits::observed_schema_bytes_max)
    return {errc::limit_exceeded, "the shape of the results of '" + tool + "' has more than "
                                    + std::to_string(limits::observed_schema_bytes_max >> 10)
                                    + " KiB, which is the limit"};
  return shared_.carry_out([&]() -> fault {
    statement write{
      db(),
      "INSERT INTO observed SELECT id, ?2, ?3, ?4, 1, ?5 FROM servers WHERE digest = ?1 "
      "ON CONFLICT(server, tool) DO UPDATE SET schema = ?3, samples = ?4, version = version + 1, updated_at = ?5"};
    write.bind(digest).bind(tool).bind(counts).bind(int64_t{shape.samples}).bind(seconds_now()).run();
    if (db().ok() && db().changes() == 0)
      return {errc::invalid_argument, "the server of '" + tool + "' is not in the catalog"};
    return {};
  });
}

} // namespace catalog
