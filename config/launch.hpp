// From an entry of a configuration to a process that can be started: variables, executable, minimal environment.
#pragma once

#include "config/environment.hpp"
#include "config/own_program.hpp"
#include "config/program_files.hpp"
#include "config/wrappers.hpp"
#include "messages/errors.hpp"
#include "messages/servers.hpp"
#include "process/child.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace config {

/// Is in the environment of every server that we start, and of all that it starts: a server of ours that finds it is
/// nested, and runs nothing.
inline constexpr const char* outer_variable = "CODE_EXECUTOR_OUTER";

/// Tells which entries would start an executable, whatever they are called and through whatever links, variables and
/// wrappers (config/wrappers.hpp), or lead to where it serves.
class start_detector {
public:
  start_detector(own_program own, const environment& env) : own_(std::move(own)), env_(env) {}
  bool starts(const msg::server_entry& entry);
  /// The same without a look at any variable or other file.
  bool starts_as_written(msg::server_entry entry);

private:
  bool names_it(const std::string& command, const std::string& path, const std::string& cwd);
  bool leads_to_it(command_line line);

  bool leads_to_its_address(const msg::server_entry& entry);
  variable_lookup variables() const;

  own_program own_;
  const environment& env_;
  /// What was found for a command, a PATH and a folder: most entries share those.
  std::map<std::tuple<std::string, std::string, std::string>, bool> known_;
};

/// The process of a server: HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR of ours, and what the entry sets, by itself
/// (`env`), by a file (`env_file`), or by the names of ours (`env_names`; those that are not set are left out); nothing
/// else of our environment; nothing at all without the user's word (needs_approval). Variables in the entry are
/// replaced. The fault (server_start_failed) says what is missing: a command, and where it was looked for; an input; a
/// file. limit_exceeded: an argument or variable is longer than any that Linux takes.
msg::outcome<process::launch> make_launch(const msg::server_entry& entry, const environment& env,
                                          const variable_lookup& variable);

/// The files that decide what an entry starts; of one that is not trusted without a look at any variable or file of
/// variables, but for the home folder and that of the project: its client may start it. Absolute. There or not: that of
/// more variables, and those that its texts refer to, and of package managers what they look at first. If they are
/// there: its command, and the files that its words lead to (config/program_files.hpp). Without those whose own names
/// can not be told.
program_places files_of(const msg::server_entry& entry, const environment& env, const variable_lookup& variable,
                        file_look& look);
/// The same of one entry alone, with the folders that are closed.
std::vector<std::string> files_of(const msg::server_entry& entry, const environment& env,
                                  const variable_lookup& variable);

} // namespace config
