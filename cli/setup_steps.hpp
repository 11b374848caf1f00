// What `code-executor setup` does beside the clients: a file of settings, approvals of a project's servers, the
// catalog.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/servers.hpp"
#include "setup/journal.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// Entries of a project that are asked about; the others are named by `code-executor servers`.
inline constexpr size_t asked_entries_max = 10;

struct setup_steps {
  std::optional<setup::file_change> settings; ///< a file of settings, where there is none
  std::vector<msg::server_entry> approved;    ///< of the project, by the user's word
  bool reads_tools = false;                   ///< servers are started once, and their tools read into the catalog
};

/// Which of them are proposed.
struct proposed_steps {
  bool settings = false;
  bool index = false;
};

/// Of a file of settings that setup writes.
std::string settings_path(const config::environment& env);

/// Nothing if there is one that counts already.
std::optional<setup::file_change> settings_file(const config::environment& env, const config::settings& settings);

/// Nothing: it was left, and nothing is to be written.
std::optional<setup_steps> ask_of_steps(const config::environment& env, const config::settings& settings,
                                        proposed_steps proposed);

/// Those that wait for the user's approval.
std::vector<msg::server_entry> waiting_entries(const config::environment& env, const config::settings& settings);

} // namespace cli
