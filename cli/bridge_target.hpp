// Which server a bridge leads to.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/errors.hpp"
#include "messages/servers.hpp"

#include <string>
#include <vector>

namespace cli {

struct bridge_target {
  std::string name;                   ///< of a configured server, or its URL; empty: it is a command
  std::vector<std::string> command;   ///< with its arguments, taken as they are; empty: it is none
  std::vector<std::string> variables; ///< for the command: NAME=VALUE, or NAME of ours
};

/// The fault (invalid_argument, or needs_approval) is a whole text for who has typed it.
msg::outcome<msg::server_entry> find_bridge_target(const bridge_target& wanted, const config::environment& environment,
                                                   const config::settings& settings);

} // namespace cli
