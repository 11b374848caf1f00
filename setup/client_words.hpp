// What a client says of a server beyond its entry's connection: switches, permissions, keys that it alone understands.
// A server of which it says such a thing stays in it: behind us nobody would follow that.
#pragma once

#include "config/clients.hpp"
#include "config/edits/entry_edit.hpp"
#include "config/environment.hpp"
#include "config/server_list.hpp"

#include <boost/json/value.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace setup {

/// Of nesting in a client's file that is looked through.
inline constexpr size_t mention_depth_max = 64;

/// Half a sentence, by the name of the server.
using reasons_to_stay = std::map<std::string, std::string>;

/// A key of an entry that neither we read nor is known to be harmless; empty: there is none.
std::string unread_key(const config::client_file& row, const boost::json::value& entry);

/// Servers that settings name in what switches off, allows, forbids or asks, patterns of names included; too many
/// rather than too few. `list`: where the entries are, which are not looked through; null: they are in another file.
void find_mentions(const boost::json::value& settings, const edits::key_path* list, const std::string& path,
                   const std::vector<std::string>& names, reasons_to_stay& to);

/// The same in the other files in which that client says it; one that is broken may name any of them.
void find_mentions_beside(const config::client_file& row, const std::string& path, const config::environment& env,
                          const std::vector<std::string>& names, reasons_to_stay& to);

/// Those of a file that are switched off or have no approval, as `code-executor servers` shows it.
void find_switched_off(const config::server_list& known, const std::string& path, reasons_to_stay& to);

} // namespace setup
