// How a client is set up now: whether we are in its file, and which servers it has besides.
#pragma once

#include "config/config_file.hpp"
#include "config/edits/entry_edit.hpp"
#include "config/environment.hpp"
#include "config/launch.hpp"
#include "messages/servers.hpp"
#include "setup/client_table.hpp"
#include "setup/client_words.hpp"
#include "setup/user_file.hpp"

#include <string>
#include <vector>

namespace setup {

struct client_look {
  const client* of = nullptr;
  user_file file;
  config::file_format format = config::file_format::json;
  edits::server_place list;
  std::string problem;                   ///< its file can not be read: where and why; empty: it can, or is not there
  std::vector<std::string> own_names;    ///< of entries that start this program
  bool has_other_program = false;        ///< the entry of our name starts another one
  bool has_address = false;              ///< the same, and it is reached by an address
  std::vector<msg::server_entry> others; ///< its servers without us, as they can be read
  reasons_to_stay staying;               ///< of those that can not go behind us, as far as the client says it
};

/// `own`: tells which entries start this program.
client_look look_at(const client& c, const client_place& place, const config::environment& env,
                    config::start_detector& own);

} // namespace setup
