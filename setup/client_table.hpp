// The clients that can be set up: how each is found, where its entry goes, and what it looks like.
#pragma once

#include "config/clients.hpp"
#include "config/edits/entry_edit.hpp"
#include "config/environment.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace setup {

/// Of our entry, in every client.
inline constexpr const char* own_name = "code-executor";

/// What of an entry a client wants beside the command.
enum class entry_form : uint8_t { plain, typed, qwen, opencode, copilot, cline, zed, named_item, goose, codex, vibe };

struct client {
  const char* name;  ///< as it is typed: "claude-code"
  const char* label; ///< as people call it
  /// Of the rows of config/clients.cpp whose files it reads: the first that is there is its file, else the first that
  /// fits this machine.
  const char* files;
  const char* programs; ///< on PATH, and among the processes; several are separated by blanks; empty: none
  entry_form form = entry_form::plain;
  const char* container = "mcpServers"; ///< of a new file, keys separated by '/'
  const char* only_path = nullptr;      ///< of those rows the one with that path alone; null: all
};

/// In the order in which they are shown.
std::span<const client> clients();
/// Null: there is none of that name.
const client* find_client(std::string_view name);

/// Where its entry goes.
struct client_place {
  const config::client_file* file = nullptr; ///< null: there is no home folder
  std::string path;
};
client_place place_of(const client& c, const config::environment& env);

/// Its file is there, or its folder, or one of its programs is on PATH.
bool is_installed(const client& c, const client_place& place, const config::environment& env);

/// All files that its entry may go into, there or not.
std::vector<std::string> paths_of(const client& c, const config::environment& env);

/// Whether clients may start a program by it: not one that a project or a cache of packages brings into PATH, which
/// goes away with it, and is its writers'.
bool is_lasting(std::string_view path);

/// Our entry, with the absolute path of this program.
boost::json::object entry_for(const client& c, const std::string& command);

/// Where the entries are in a file that has none yet.
edits::server_place list_for(const client& c);
/// What a new file begins with, before our entry; mostly nothing.
std::string new_text_for(const client& c);

/// Keys separated by '/'.
edits::key_path keys_of(std::string_view container);

} // namespace setup
