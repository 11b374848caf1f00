// What a set-up changes: the texts that the files of clients, and ours, are to become. Nothing is written here.
#pragma once

#include "config/edits/entry_edit.hpp"
#include "messages/errors.hpp"
#include "messages/limits.hpp"
#include "setup/client_look.hpp"
#include "setup/journal.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace setup {

/// Servers that go behind us at once; more are not read of all files together. The others stay until the next set-up.
inline constexpr size_t moved_max = msg::limits::config_servers_max;

/// What happens to our entry in the file of a client.
enum class entry_change : uint8_t { none, added, replaced, removed };
enum class own_entry_wish : uint8_t { put, remove, leave };
enum class servers_wish : uint8_t { stay, move };

struct client_choice {
  const client_look* look = nullptr;
  own_entry_wish entry = own_entry_wish::put;
  servers_wish servers = servers_wish::stay;
};

struct staying_server {
  std::string name, why;
};

struct client_plan {
  const client_look* look = nullptr;
  const client_look* written_with = nullptr; ///< whose file is the same, through links; it has the change. Null: none
  entry_change change = entry_change::none;
  std::string problem; ///< nothing is changed: where and why
  std::string after;   ///< text of the file, without its mark
  std::vector<edits::put_text> put;
  std::vector<std::string> moved; ///< names of servers that go behind us
  std::vector<staying_server> staying;

  /// The path by which its file is written.
  const std::string& written_path() const { return (written_with ? written_with : look)->file.path; }
};

/// Our own file of servers.
struct own_file_plan {
  user_file file;
  std::string after;
  std::string problem; ///< nothing can be moved into it: where and why
  std::vector<std::string> added;
};

struct setup_plan {
  std::vector<client_plan> clients; ///< as the choices
  own_file_plan own;

  /// Ours first: what a client gives up is there before.
  std::vector<file_change> changes() const;
  /// How many of them are ours.
  size_t own_changes() const { return own.added.empty() ? 0 : 1; }
};

/// `command`: absolute path of this program. `own_path`: of our file of servers. A server whose name other clients have
/// for another one stays where it is.
setup_plan make_plan(const std::vector<client_choice>& choices, const std::vector<client_look>& all,
                     const std::string& command, const std::string& own_path);

/// Of the servers of a client those that could go behind us, whatever others have.
size_t movable(const client_look& look);

} // namespace setup
