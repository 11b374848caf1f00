#include "config/settings.hpp"

#include "config/clients.hpp"
#include "config/json_file.hpp"
#include "config/narrowing.hpp"
#include "config/settings_parts.hpp"

#include <filesystem>

namespace config {

namespace fs = std::filesystem;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

std::vector<std::string> candidates(const environment& env, const std::string& named) {
  if (!named.empty()) // clients set variables without a shell that would expand ~
    return {(named.starts_with("~/") ? fs::path{env.home + named.substr(1)} : fs::path{env.cwd} / named)
              .lexically_normal()
              .string()};
  std::vector<std::string> out;
  if (env.home.empty())
    return out;
  for (auto name : {".code-executor.json", ".code-executor/config.json", ".config/code-executor/config.json"})
    out.push_back((fs::path{env.home} / name).string());
  return out;
}

/// Errors of the file itself.
fault problem_of(const json_file& file, const std::string& path) {
  if (file.text.size() > limits::settings_file_bytes_max)
    return {errc::limit_exceeded,
            path + ": larger than " + std::to_string(limits::settings_file_bytes_max >> 20) + " MiB"};
  return file.content.error;
}

/// Looks at the places; the content of what it found.
json_file find_file(const environment& env, const variable_lookup& variable, settings& out,
                    std::vector<fault>& problems) {
  auto named = variable("CODE_EXECUTOR_CONFIG_PATH");
  out.searched = candidates(env, named);
  json_file file;
  for (size_t i = 0; i < out.searched.size() && !file.exists; ++i) {
    file = read_json_file(out.searched[i]);
    out.file = file.exists ? out.searched[i] : "";
  }
  if (!named.empty() && !file.exists)
    problems.push_back({errc::invalid_argument,
                        out.searched.front() + ": there is no such file, and CODE_EXECUTOR_CONFIG_PATH names it"});
  else if (auto problem = problem_of(file, out.file); problem.code != errc::none)
    problems.push_back(std::move(problem));
  return file;
}

void read_all(settings_reader& reader, const environment& env, settings& out) {
  auto root = section::root(reader);
  uint32_t version = 1;
  root.integer({"version", "of the format"}, 1, 1, version);
  std::string schema;
  root.text(
    {"$schema", "for editors: where the schema is"}, [](std::string_view) { return true; }, "a text", schema);
  read_clients(root, out.clients);
  auto security = root.inside("security");
  read_security(security, out.security);
  read_runs(root.inside("runs"), security, out.runs);
  read_servers(root.inside("servers"), out.servers);
  read_rates(root, security, out.rates);
  read_audit(root.inside("audit"), security, out.audit);
  read_health(root.inside("health"), out.health);
  read_http(root.inside("server"), out.http);
  read_process(root.inside("process"), out.process);
  read_log(root.inside("log"), out.log);
  read_sampling(root.inside("sampling"), out.sampling);
  read_sandbox(root.inside("sandbox"), out.sandbox);
  read_executors(root.inside("executors"), out);
  read_bridge(root, out.bridge);
  read_sessions(root.inside("sessions"), out.sessions);
  read_artifacts(root.inside("outputs"), out.outputs);
  read_faults(root, security, out.faults);
  read_recording(root.inside("recording"), out.recording);
  out.state_folder = env.home.empty() ? "" : (fs::path{env.home} / ".code-executor").string();
  root.path({"stateDir", "where state is kept", "CODE_EXECUTOR_STATE_DIR"}, out.state_folder);
  root.path({"mcpConfigPath", "one more list of servers, before all others", "MCP_CONFIG_PATH"}, out.servers_file);
}

void narrow_by_project(const environment& env, settings_reading& to) {
  auto path = (fs::path{env.cwd} / ".code-executor.json").string();
  auto file = read_json_file(path);
  if (!file.exists)
    return;
  to.values.project_file = path;
  if (auto problem = problem_of(file, path); problem.code != errc::none)
    return to.problems.push_back(std::move(problem));
  variable_lookup nothing = [](std::string_view) { return std::string{}; };
  settings_reader reader{env, nothing, path, file, file_of::project};
  settings of_project;
  read_all(reader, env, of_project);
  to.problems = reader.finish();
  if (to.problems.empty())
    to.problems = narrow(of_project, {reader.entries().begin(), reader.entries().end()}, to);
}

} // namespace

settings_reading read_settings(const environment& env, const variable_lookup& variable) {
  settings_reading out;
  auto file = find_file(env, variable, out.values, out.problems);
  if (!out.problems.empty())
    return out;
  settings_reader reader{env, variable, out.values.file, file};
  read_all(reader, env, out.values);
  out.problems = reader.finish();
  out.entries.assign(reader.entries().begin(), reader.entries().end());
  if (out.problems.empty() && variable("CODE_EXECUTOR_CONFIG_PATH").empty() && !is_at_home(env))
    narrow_by_project(env, out);
  return out;
}

std::vector<setting_entry> declared_settings() {
  environment env;
  env.home = "~"; // no machine's own
  json_file none;
  variable_lookup nothing = [](std::string_view) { return std::string{}; };
  settings_reader reader{env, nothing, "", none};
  settings out;
  read_all(reader, env, out);
  return {reader.entries().begin(), reader.entries().end()};
}

msg::outcome<settings> load_settings(const environment& env, const variable_lookup& variable) {
  auto reading = read_settings(env, variable);
  if (!reading.problems.empty())
    return std::move(reading.problems.front());
  return std::move(reading.values);
}

} // namespace config
