#include "cli/found.hpp"

#include "process/find_executable.hpp"
#include "trust/entries.hpp"

#include <filesystem>

namespace cli {

namespace {

void apply_limits(const config::sandbox_settings& from, msg::outcome<sandbox::box>& to) {
  to.value.processes = from.processes;
  to.value.temp_bytes = from.temp_bytes;
}

config::approval approval_of(trust::standing standing) {
  switch (standing) {
    case trust::standing::unknown: return config::approval::none;
    case trust::standing::approved: return config::approval::given;
    case trust::standing::changed: return config::approval::outdated;
  }
  return config::approval::none;
}

} // namespace

config::server_list find_servers(const config::environment& env, const std::string& state_folder) {
  auto approved = trust::approved_entries::read(state_folder);
  auto found = config::load_servers(env, process::own_executable(), [&](auto& entry) { return approval_of(approved.of(entry)); });
  if (!approved.problem().empty())
    found.problems.push_back(approved.problem());
  return found;
}

sandbox::runtimes find_runtimes(const config::environment& env, const config::settings& settings, const std::string& own_executable) {
  auto folder = std::filesystem::path{own_executable}.parent_path().string();
  auto& python = settings.python;
  auto found = sandbox::find_runtimes(
    {settings.typescript.deno, python.python, env.path, env.home, folder, python.venv, python.version, settings.sandbox.memory_bytes});
  if (!settings.typescript.enabled)
    found.typescript = msg::fault{msg::errc::runtime_missing, "it is switched off (executors.typescript.enabled)"};
  if (settings.python.runtime == config::python_runtime::pyodide) {
    found.python = found.pyodide;
    found.python_is_pyodide = true;
  }
  if (!settings.python.enabled)
    found.python = msg::fault{msg::errc::runtime_missing, "it is switched off (executors.python.enabled, PYTHON_ENABLED)"};
  apply_limits(settings.sandbox, found.typescript);
  apply_limits(settings.sandbox, found.python);
  apply_limits(settings.sandbox, found.pyodide);
  return found;
}

bool may_be_pyodide(const config::python_settings& python) {
  return python.runtime == config::python_runtime::automatic && python.enabled && python.venv.empty() && python.version.empty();
}

std::string problem_of(const sandbox::runtimes& found, msg::language l) {
  return !found.tools.ok() ? found.tools.error.message : found.of(l).error.message;
}

msg::isolation_report report_isolation(const sandbox::runtimes& found, const sandbox::cgroup_place& place) {
  return sandbox::report_isolation(found.tools.value.walls, place, found.typescript.ok() ? found.typescript.value : found.python.value);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (auto& text : texts)
    out += (out.empty() ? "" : ", ") + text;
  return out;
}

} // namespace cli
