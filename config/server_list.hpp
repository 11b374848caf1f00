// Which MCP servers exist: the union of all client configurations that are found.
#pragma once

#include "config/approval.hpp"
#include "config/clients.hpp"
#include "config/environment.hpp"
#include "config/own_program.hpp"
#include "messages/servers.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace config {

/// Of the name of a server; an entry with a longer one is skipped. Names of tools have to fit beside it (callMCPTool).
inline constexpr size_t server_name_bytes_max = 200;
/// Entries that are read of one file of a project: more than are looked at for the files that they start
/// (project_entries_max), so that a file that has more closes the project to programs.
inline constexpr size_t project_file_servers_max = 500;

/// A place that may list servers.
struct server_source {
  client_file client;
  /// Absolute, or as the user named it; with `*` in its last part: every such file of the folder.
  std::string path;
  std::string named_by;    ///< the variable that names it, whose absence is worth a warning; empty: none does
  bool of_project = false; ///< found by the working folder: not the user's word
};

/// All places that are looked at, in order of precedence: of two entries with one name the earlier file's counts. What
/// the user named comes first, then what belongs to the project, to the user, to no client in particular
/// (config/clients.cpp).
std::vector<server_source> server_sources(const environment& env);
/// Their files that are there.
std::vector<std::string> files_of(const std::vector<server_source>& sources);

struct server_list {
  std::vector<msg::server_entry> entries; ///< in order of name
  std::vector<std::string> files;         ///< that were read and may list servers
  std::vector<std::string> problems;      ///< files and entries that could not be used, and why: whole sentences
  /// Of the project, without approval, while an entry that is trusted has their name; in order of name.
  std::vector<msg::server_entry> hidden;
  /// Not started here: ourselves, those that another one of their name hides, broken ones, commands for headers. Their
  /// clients start them, also those of the project, which have approvals of their own.
  std::vector<msg::server_entry> of_clients;
};

/// Of two entries of one name the first that is trusted counts, and the first at all only if none is. Reads every
/// source; what is broken is reported and the rest used. Entries that would start `own` again, or lead to it, are left
/// out. Nothing is started or written; variables are looked at in entries that are trusted, to see what they would
/// start. `before`: of an earlier look. A server whose file, or whose entry in it, can not be read now stays as it was
/// then, but trusted and rejected as it is now, and switched off if it is now or was then.
server_list load_servers(const environment& env, const own_program& own,
                         const approval_lookup& approved = approves_nothing, const server_list& before = {});

/// Names that come from the user, or from entries that the user has approved.
std::vector<std::string> trusted_names(const server_list& list);

} // namespace config
