#include "proxy/memory/file.hpp"

#include <string>

namespace memory {

namespace {

const std::string tables = R"(
  CREATE TABLE memory(client BLOB NOT NULL, project BLOB NOT NULL, state INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
                      metadata BLOB NOT NULL, version INTEGER NOT NULL, bytes INTEGER NOT NULL, created_at BLOB NOT NULL, updated_at BLOB NOT NULL);
  CREATE TABLE tools(client BLOB NOT NULL, project BLOB NOT NULL, state INTEGER NOT NULL, name BLOB NOT NULL, source BLOB NOT NULL,
                     description BLOB NOT NULL, bytes INTEGER NOT NULL, updated_at BLOB NOT NULL);
  CREATE UNIQUE INDEX memory_own ON memory(key, client, project, state) WHERE state <> 1;
  CREATE UNIQUE INDEX memory_shared ON memory(key) WHERE state = 1;
  CREATE UNIQUE INDEX tools_own ON tools(name, client, project, state) WHERE state <> 1;
  CREATE UNIQUE INDEX tools_shared ON tools(name) WHERE state = 1;
  CREATE INDEX memory_scope ON memory(client, project, state, bytes);
  CREATE INDEX tools_scope ON tools(client, project, state, bytes);
)";

/// Versions of values come from one counter: a key that was deleted and made anew is never taken for the old one.
const std::string schema = tables + R"(
  CREATE TABLE counter(last_version INTEGER NOT NULL);
  INSERT INTO counter VALUES(0);
)";

/// Format 1 knew no scopes.
const std::string to_format_2 = R"(
  DROP INDEX memory_bytes;
  DROP INDEX tools_bytes;
  ALTER TABLE memory RENAME TO old_memory;
  ALTER TABLE tools RENAME TO old_tools;
)" + tables + R"(
  INSERT INTO memory SELECT x'', x'', 2, key, value, metadata, version, bytes, created_at, updated_at FROM old_memory;
  INSERT INTO tools SELECT x'', x'', 2, name, source, description, bytes, updated_at FROM old_tools;
  DROP TABLE old_memory;
  DROP TABLE old_tools;
)";

} // namespace

const sqlite::file_kind& kind_of_file() {
  static const sqlite::file_kind kind{
    "memory", "memory.db", 0x436F6445, 2, schema.c_str(), sqlite::examination::whole, "", {to_format_2.c_str()}};
  return kind;
}

} // namespace memory
