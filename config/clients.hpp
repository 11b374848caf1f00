// Which programs keep lists of MCP servers, where, and how they write them.
#pragma once

#include "config/environment.hpp"
#include "messages/servers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Where the path of a file begins.
enum class file_root : uint8_t {
  project,     ///< the folder in which the program is started
  home,        ///< HOME
  config,      ///< XDG_CONFIG_HOME, or ~/.config
  mac_support, ///< ~/Library/Application Support
};

/// What an entry's `timeout` is: only where the client means the time of one call.
enum class timeout_unit : uint8_t { unclear, seconds, milliseconds };

/// A file that may list servers.
struct client_file {
  const char* client; ///< with its scope: "Cursor (project)"
  file_root root;
  const char* path; ///< below it. "FOLDER/*.json": every such file of the folder
  /// The keys that lead to the entries, separated by '/'; "{project}" is the absolute path of the project. Null:
  /// whichever of the usual ones is there, or the file itself is the list.
  const char* container;
  msg::variable_syntax syntax = msg::variable_syntax::none;
  timeout_unit timeout = timeout_unit::unclear;
  /// Variable with another path, or a folder that has the file by the last part of its path.
  const char* moved_by = nullptr;
  /// The client in whose spelling it is written, if the file was named by the user; null: `client`
  const char* writer = nullptr;
};

/// Whether the entries are in the spelling of that client, whatever its scope: "Copilot CLI".
bool is_written_by(const client_file& file, std::string_view client);

/// In order of precedence: of two entries with one name the earlier file's counts. A new client is a new line there.
std::span<const client_file> client_files();

/// A list of names of servers that a client has switched off.
struct off_list {
  const char* client; ///< whose servers, or those of one scope: the label begins so
  file_root root;
  const char* path;
  const char* keys; ///< as client_file::container
  const char* moved_by = nullptr;
};
std::span<const off_list> off_lists();

/// What a client keeps of its user's word on the servers of the project's file: a list of their names, or true for all
/// of them.
struct verdict_list {
  const char* client; ///< as client_file::client
  file_root root;
  const char* path;
  const char* keys; ///< as client_file::container
  bool approves;    ///< else it rejects
  const char* moved_by = nullptr;
};
/// Those that approve are files of the user's own: a program or person that writes to the project could approve itself
/// in the others.
std::span<const verdict_list> verdict_lists();

/// Whether the program is started in the home folder: what is found there is the user's own.
bool is_at_home(const environment& env);

/// Folders of a project that many programs share, and in which a client has one file: not to be kept as those of
/// clients are.
std::span<const char* const> shared_folders();

/// Variables by which clients, or a user, say where such files are. They are read into environment::places.
std::span<const char* const> place_variables();

/// The absolute path; empty: there is no such place (no HOME).
std::string path_of(const environment& env, file_root root, const std::string& path, const char* moved_by);
/// A path that the user gave in a variable: relative to the working directory, "~/" is HOME.
std::string absolute(const environment& env, const std::string& path);

/// Below which key of a file that belongs to no particular client the servers are: the first of these that is there.
std::span<const char* const> usual_containers();

} // namespace config
