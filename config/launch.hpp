// From an entry of a configuration to a process that can be started: variables, executable, minimal environment.
#pragma once

#include "config/environment.hpp"
#include "messages/errors.hpp"
#include "messages/servers.hpp"
#include "process/child.hpp"

#include <string>

namespace config {

/// Replaces `${NAME}` and `${NAME:-otherwise}`. A name that is not set and has no other value stays as it is written,
/// as Claude Code does; so does everything that is no such form.
std::string expand(std::string_view text, const variable_lookup& variable);

/// Whether the entry's command is that executable, whatever the entry is called and through whatever links.
bool starts_executable(const msg::server_entry& entry, const std::string& executable, const environment& env);

/// The process of a server: HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR of ours, and what the entry sets; nothing
/// else of our environment. The fault (server_start_failed) says which command was not found, and where it was looked for.
msg::outcome<process::launch> make_launch(const msg::server_entry& entry, const environment& env, const variable_lookup& variable);

} // namespace config
