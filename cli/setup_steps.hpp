// What `code-executor setup` does beside the clients: settings and keys of providers, approvals of a project's servers,
// the catalog, wrappers for editors, the daily sync.
#pragma once

#include "cli/setup_keys.hpp"
#include "cli/setup_sync.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/servers.hpp"
#include "setup/journal.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// Entries of a project that are asked about; the others are named by `code-executor servers`.
inline constexpr size_t asked_entries_max = 10;

/// What the program was started with.
struct setup_surroundings {
  const config::environment& environment;
  const config::settings& settings;
  const config::variable_lookup& variables;
  const sync_step& sync;
  std::string command;            ///< absolute path of this program, as clients and schedulers are to start it
  std::vector<provider_key> keys; ///< that the words of the command line name
};

/// As the words of the command line, or the answers, have it.
struct wished_steps {
  settings_wish settings = settings_wish::leave;
  std::vector<provider_key> keys = {};
  std::vector<msg::server_entry> approved = {}; ///< of the project, by the user's word
  bool reads_tools = false;                     ///< servers are started once, and their tools read into the catalog
  std::optional<std::string> wrappers =
    {};                  ///< folder in which they are written; empty: the state folder; none: they are not
  std::string sync = {}; ///< one of sync_words(); empty: as it is
};

struct setup_steps {
  wished_steps wished;
  std::optional<setup::file_change> settings;
  std::string wrappers; ///< absolute folder; empty: none are written
  setup::sync_plan sync;
};

/// The fault: the file of settings can not be changed. Nothing is written.
msg::outcome<setup_steps> make_steps(const setup_surroundings& around, wished_steps wished);

/// Nothing: it was left, and nothing is to be written. `proposed`: what the words of the command line want.
std::optional<wished_steps> ask_of_steps(const setup_surroundings& around, const wished_steps& proposed);
/// The same for taking code-executor out.
std::optional<wished_steps> ask_of_removal(const setup_surroundings& around);

/// All files that they change, in the order in which that is to be done.
std::vector<setup::file_change> changes_of(const setup_steps& steps);
/// The files of the sync that are written; if some are not, `steps` have that as the problem of the sync.
std::vector<std::string> written_of_sync(const setup::written& done, setup_steps& steps);
/// What would be done, and as members of the document.
void print_steps(const setup_steps& steps);
boost::json::object steps_document(const setup_surroundings& around, const setup_steps& steps);

} // namespace cli
