#include "config/settings.hpp"

#include "config/json_file.hpp"
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
    return {(named.starts_with("~/") ? fs::path{env.home + named.substr(1)} : fs::path{env.cwd} / named).lexically_normal().string()};
  std::vector<std::string> out{(fs::path{env.cwd} / ".code-executor.json").string()};
  if (env.home.empty())
    return out;
  for (auto name : {".code-executor.json", ".code-executor/config.json", ".config/code-executor/config.json"})
    if (auto place = (fs::path{env.home} / name).string(); place != out.front())
      out.push_back(std::move(place));
  return out;
}

/// Looks at the places; the content of what it found.
json_file find_file(const environment& env, const variable_lookup& variable, settings& out, std::vector<fault>& problems) {
  auto named = variable("CODE_EXECUTOR_CONFIG_PATH");
  out.searched = candidates(env, named);
  json_file file;
  for (size_t i = 0; i < out.searched.size() && !file.exists; ++i) {
    file = read_json_file(out.searched[i]);
    out.file = file.exists ? out.searched[i] : "";
  }
  if (!named.empty() && !file.exists)
    problems.push_back({errc::invalid_argument, out.searched.front() + ": there is no such file, and CODE_EXECUTOR_CONFIG_PATH names it"});
  else if (file.text.size() > limits::settings_file_bytes_max)
    problems.push_back({errc::limit_exceeded, out.file + ": larger than " + std::to_string(limits::settings_file_bytes_max >> 20) + " MiB"});
  else if (!file.content.ok())
    problems.push_back(file.content.error);
  return file;
}

void read_all(settings_reader& reader, const environment& env, settings& out) {
  auto root = section::root(reader);
  uint32_t version = 1;
  root.integer({"version", "of the format"}, 1, 1, version);
  std::string schema;
  root.text(
    {"$schema", "for editors: where the schema is"}, [](std::string_view) { return true; }, "a text", schema);
  auto security = root.inside("security");
  read_security(security, out.security);
  read_runs(root.inside("runs"), security, out.runs);
  read_servers(root.inside("servers"), out.servers);
  read_rates(root, security, out.rates);
  read_audit(root.inside("audit"), security, out.audit);
  read_health(root.inside("health"), out.health);
  read_process(root.inside("process"), out.process);
  read_log(root.inside("log"), out.log);
  read_sampling(root.inside("sampling"), out.sampling);
  read_sandbox(root.inside("sandbox"), out.sandbox);
  read_executors(root.inside("executors"), out);
  read_bridge(root, out.bridge);
  read_sessions(root.inside("sessions"), out.sessions);
  read_outputs(root.inside("outputs"), out.outputs);
  out.state_folder = env.home.empty() ? "" : (fs::path{env.home} / ".code-executor").string();
  root.path({"stateDir", "where state is kept", "CODE_EXECUTOR_STATE_DIR"}, out.state_folder);
  root.path({"mcpConfigPath", "one more list of servers, before all others", "MCP_CONFIG_PATH"}, out.servers_file);
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
