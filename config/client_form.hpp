// What a client reads of its own file of a project. We read more: other containers, comments, the spellings of all
// clients. What a client has approved by a name counts for what it would start itself, and for nothing else.
#pragma once

#include "config/config_file.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace config {

/// An entry as it stands in its file.
struct written_entry {
  const config_file& file;
  /// The keys that lead to the list of servers, see member_path(); empty: the file is the list.
  std::string_view container;
  std::string part; ///< of the entry itself
  const boost::json::value& value;
};

/// Whether it is known what that client (client_file::client) reads. If not, nothing counts that it has approved.
bool has_form(std::string_view client);

/// Why that client does not read the entry as we do: half a sentence after its place, "PATH: line 3, column 5:
/// 'envFile' is nothing that ... reads". Empty: it does. Never quotes a value.
std::string difference_from(std::string_view client, const written_entry& entry);

} // namespace config
