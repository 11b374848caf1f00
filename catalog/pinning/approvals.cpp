#include "catalog/pinning/approvals.hpp"

#include "catalog/pinning/definition.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tool_pinning {

namespace fs = std::filesystem;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using sqlite::statement;

namespace {

constexpr std::string_view file_name = "approvals.db";

/// Times are seconds since 1970. `content`: of the last list in which nothing had changed; an approval forgets it.
const sqlite::file_kind file_kind{
  "list of approved tools",
  "approvals.db",
  0x436F6441,
  1,
  R"(
  CREATE TABLE servers(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, name BLOB NOT NULL, source BLOB NOT NULL,
                       content BLOB NOT NULL, approved_at INTEGER NOT NULL);
  CREATE TABLE tools(server INTEGER NOT NULL, name BLOB NOT NULL, definition BLOB NOT NULL, bytes INTEGER NOT NULL, approved_at INTEGER NOT NULL);
  CREATE UNIQUE INDEX tools_name ON tools(server, name);
  CREATE INDEX tools_bytes ON tools(bytes);
)",
  sqlite::examination::header,
  ": until that file is removed, no server is approved by its first use; `code-executor trust SERVER` approves one"};

/// Neither names of servers nor paths hold a zero byte.
std::string key_of(const msg::server_entry& server) {
  std::string key = server.name;
  key += '\0';
  key += server.source;
  key += '\0';
  key += server.workspace;
  if (server.workspace != server.scope && !server.scope.empty())
    key.append(1, '\0').append(server.scope);
  return key;
}

std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "its " : i + 1 == parts.size() ? " and its " : ", its ") + parts[i];
  return out;
}

std::string change_of(std::string_view approved, std::string_view now) {
  auto parts = differing_parts(approved, now);
  if (parts.empty())
    return "it has changed since it was approved";
  return listed(parts) + (parts.size() == 1 && !parts.front().ends_with('s') ? " has" : " have")
         + " changed since it was approved";
}

definitions definitions_of(const msg::tool_list& tools) {
  definitions out;
  for (auto& t : tools)
    out.emplace(t.name, canonical(t));
  return out;
}

changes everything(const msg::tool_list& tools, const std::string& why) {
  changes out;
  for (auto& t : tools)
    out.emplace(t.name, why);
  return out;
}

} // namespace

changes compare(const definitions& approved, const msg::tool_list& tools) {
  changes out;
  for (auto& t : tools) {
    auto now = canonical(t);
    auto before = approved.find(t.name);
    if (before == approved.end())
      out.emplace(t.name, change_of_new);
    else if (before->second != now)
      out.emplace(t.name, change_of(before->second, now));
  }
  return out;
}

msg::fault held_fault(const std::string& server, const std::string& tool) {
  auto what = "tool '" + tool + "' of server '" + server + "' is held: it is not what was approved; `"
              + command_to_approve(server) + "` approves it";
  return msg::fault{msg::errc::tool_changed, what}.at(server, tool);
}

std::string command_to_approve(std::string_view server) { return "code-executor trust " + msg::shell_word(server); }

approvals::approvals(std::string folder, sqlite::clock now)
  : folder_(std::move(folder)),
    shared_(folder_, file_kind, now),
    now_(std::move(now)) {}

int64_t approvals::seconds_now() const {
  return std::chrono::duration_cast<std::chrono::seconds>(now_().time_since_epoch()).count();
}

bool approvals::has_changed() {
  if (folder_.empty() || !shared_.exists())
    return std::exchange(seen_openings_, shared_.openings()) != shared_.openings();
  int64_t version = data_version_;
  bool is_read = false;
  auto problem = shared_.carry_out([&]() -> fault {
    {
      statement look{db(), "PRAGMA data_version"};
      if (look.row())
        version = look.integer(0);
    }
    if (version == data_version_ && seen_openings_ == shared_.openings())
      return {};
    contents_.clear();
    statement all{db(), "SELECT key, content FROM servers"};
    while (all.row())
      contents_.emplace(all.text(0), all.text(1));
    is_read = true;
    return {};
  });
  if (problem.code != errc::none)
    return false; // what it was before still counts
  data_version_ = version;
  seen_openings_ = shared_.openings();
  return is_read;
}

bool approvals::is_known(const msg::server_entry& server, std::string_view content) const {
  auto at = contents_.find(key_of(server));
  return at != contents_.end() && !content.empty() && at->second == content;
}

/// 0: nothing is approved of it.
int64_t approvals::id_of(const std::string& key) {
  statement look{db(), "SELECT id FROM servers WHERE key = ?"};
  return look.bind(key).row() ? look.integer(0) : 0;
}

definitions approvals::read(int64_t server) {
  definitions out;
  statement all{db(), "SELECT name, definition FROM tools WHERE server = ?"};
  all.bind(server);
  while (all.row())
    out.emplace(all.text(0), all.text(1));
  return out;
}

/// Empty: there is none.
std::string approvals::lost_file() const {
  std::error_code ec;
  for (fs::directory_iterator at{folder_, ec}, end; !ec && at != end; at.increment(ec))
    if (auto name = at->path().filename().string();
        name.starts_with(std::string{file_name} + ".damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm"))
      return at->path().string();
  return {};
}

msg::outcome<changes> approvals::review(const msg::server_entry& server, std::string_view content,
                                        const msg::tool_list& tools) {
  if (folder_.empty())
    return review_in_memory(server, tools);
  if (tools.empty())
    return changes{};
  auto known = compare_with_stored(server, content, tools);
  if (!known.ok() || known.value)
    return known.ok() ? msg::outcome<changes>{std::move(*known.value)} : std::move(known.error);
  if (auto lost = lost_file(); !lost.empty())
    return everything(tools, "what was approved of its server was lost with " + lost);
  if (auto problem = keep(server, occasion::first_use, tools); problem.code != errc::none)
    return problem;
  known = compare_with_stored(server, content, tools); // another program may have been faster, with another list
  return known.ok() ? msg::outcome<changes>{std::move(known.value).value_or(changes{})} : std::move(known.error);
}

/// Nothing: the server is not known.
msg::outcome<std::optional<changes>>
approvals::compare_with_stored(const msg::server_entry& server, std::string_view content, const msg::tool_list& tools) {
  auto key = key_of(server);
  std::optional<changes> found;
  auto problem = shared_.carry_out([&]() -> fault {
    found.reset();
    db().execute("BEGIN IMMEDIATE"); // no other program approves anything between the look and the note
    auto id = id_of(key);
    if (id == 0)
      return {};
    found = compare(read(id), tools);
    if (found->empty())
      note_content(id, content);
    return {};
  });
  if (problem.code != errc::none)
    return problem;
  if (found && found->empty())
    contents_[key] = content;
  return found;
}

void approvals::note_content(int64_t server, std::string_view content) {
  statement{db(), "UPDATE servers SET content = ? WHERE id = ?"}.bind(content).bind(server).run();
  db().execute("COMMIT");
}

changes approvals::review_in_memory(const msg::server_entry& server, const msg::tool_list& tools) {
  if (tools.empty())
    return {};
  auto [at, is_first] = in_memory_.try_emplace(key_of(server));
  if (is_first)
    at->second = definitions_of(tools);
  return compare(at->second, tools);
}

fault approvals::approve(const msg::server_entry& server, const msg::tool_list& tools) {
  if (!folder_.empty())
    return keep(server, occasion::approval, tools);
  auto& known = in_memory_[key_of(server)];
  for (auto& [name, definition] : definitions_of(tools))
    known[name] = definition;
  return {};
}

/// The first use of a server that another program has been using meanwhile approves nothing.
fault approvals::keep(const msg::server_entry& server, occasion why, const msg::tool_list& tools) {
  auto key = key_of(server);
  auto texts = definitions_of(tools);
  auto problem = shared_.carry_out([&]() -> fault {
    db().execute("BEGIN IMMEDIATE");
    auto id = id_of(key);
    if (id != 0 && why == occasion::first_use)
      return {};
    insert(id != 0 ? forget_content(id) : add_server(server, key), texts);
    statement bytes{db(), "SELECT coalesce(sum(bytes), 0) FROM tools"};
    if (bytes.row() && bytes.integer(0) > static_cast<int64_t>(limits::pins_total_bytes_max))
      return {errc::limit_exceeded, "approved tools would have more than "
                                      + std::to_string(limits::pins_total_bytes_max >> 20)
                                      + " MiB, which is the limit; remove " + shared_.path() + " to begin anew"};
    bytes.run();
    db().execute("COMMIT");
    return {};
  });
  contents_.erase(key);
  return problem;
}

int64_t approvals::add_server(const msg::server_entry& server, const std::string& key) {
  statement add{db(),
                "INSERT INTO servers(key, name, source, content, approved_at) VALUES(?, ?, ?, '', ?) RETURNING id"};
  add.bind(key).bind(server.name).bind(server.source).bind(seconds_now());
  auto id = add.row() ? add.integer(0) : 0;
  add.run();
  return id;
}

/// Of a server whose approvals change.
int64_t approvals::forget_content(int64_t server) {
  statement{db(), "UPDATE servers SET content = '' WHERE id = ?"}.bind(server).run();
  return server;
}

void approvals::insert(int64_t server, const definitions& texts) {
  statement put{db(),
                "INSERT OR REPLACE INTO tools(server, name, definition, bytes, approved_at) VALUES(?, ?, ?, ?, ?)"};
  for (auto& [name, text] : texts) {
    put.bind(server)
      .bind(name)
      .bind(text)
      .bind(static_cast<int64_t>(name.size() + text.size()))
      .bind(seconds_now())
      .run();
    put.again();
  }
}

msg::outcome<definitions> approvals::approved(const msg::server_entry& server) {
  auto key = key_of(server);
  if (folder_.empty())
    return in_memory_[key];
  definitions out;
  if (!shared_.exists())
    return out;
  auto problem = shared_.carry_out([&]() -> fault {
    auto id = id_of(key);
    out = read(id);
    return {};
  });
  if (problem.code != errc::none)
    return problem;
  return out;
}

} // namespace tool_pinning
