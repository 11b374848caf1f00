// What `serve` and `doctor` find on this machine in the same way.
#pragma once

#include "config/environment.hpp"
#include "config/server_list.hpp"
#include "config/settings.hpp"
#include "messages/run.hpp"
#include "sandbox/isolation/isolation_report.hpp"
#include "sandbox/runtimes/runtime.hpp"

#include <string>
#include <vector>

namespace cli {

/// A language that is switched off is not found.
sandbox::runtimes find_runtimes(const config::environment& env, const config::settings& settings,
                                const std::string& own_executable);

/// What was found when we started to serve, and the folders that programs may have been granted since, for writing.
struct start_of_serving {
  config::server_list servers;
  std::vector<std::string> writable;
};
/// The servers that are configured, and what the user has approved of those of the project. `start`: null if no program
/// has run since. `before`: of an earlier look. `own`: where this process serves over HTTP.
config::server_list find_servers(const config::environment& env, const std::string& state_folder,
                                 const start_of_serving* start = nullptr, const config::server_list& before = {},
                                 const config::own_endpoint& own = {});

/// Whether the entry stands in a file that programs may be granted for writing, the user's file or a project's.
bool may_be_written(const config::settings& settings, const msg::server_entry& entry);

/// Whether Pyodide may take the place of CPython where there are no namespaces: not if the settings want what it has
/// not.
bool may_be_pyodide(const config::python_settings& python);

/// Why programs of that language can not run; empty: they can.
std::string problem_of(const sandbox::runtimes& found, msg::language l);

/// What holds guests in, as far as it was tried (sandbox::probe_isolation).
msg::isolation_report report_isolation(const sandbox::runtimes& found, const sandbox::cgroup_place& place);

std::string joined(const std::vector<std::string>& texts);

} // namespace cli
