#include "config/settings.hpp"

#include "config/json_file.hpp"
#include "config/settings_sections.hpp"

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
    out.push_back((fs::path{env.home} / name).string());
  return out;
}

void read_version(section root) {
  uint32_t version = 1;
  root.integer({"version"}, 1, 1, version);
}

} // namespace

msg::outcome<settings> load_settings(const environment& env, const variable_lookup& variable) {
  settings out;
  auto named = variable("CODE_EXECUTOR_CONFIG_PATH");
  out.searched = candidates(env, named);
  json_file file;
  for (size_t i = 0; i < out.searched.size() && !file.exists; ++i) {
    file = read_json_file(out.searched[i]);
    out.file = file.exists ? out.searched[i] : "";
  }
  if (!named.empty() && !file.exists)
    return fault{errc::invalid_argument, out.searched.front() + ": there is no such file, and CODE_EXECUTOR_CONFIG_PATH names it"};
  if (file.text.size() > limits::settings_file_bytes_max)
    return fault{errc::limit_exceeded, out.file + ": larger than " + std::to_string(limits::settings_file_bytes_max >> 20) + " MiB"};
  if (!file.content.ok())
    return std::move(file.content.error);

  settings_reader reader{env, variable, out.file, file};
  auto root = reader.root();
  read_version(root);
  auto security = root.inside("security");
  read_security(security, reader, env, variable, out.security);
  read_runs(root.inside("runs"), security, reader, out.runs);
  read_servers(root.inside("servers"), out.servers);
  read_rates(root, security, reader, out.rates);
  read_audit(root.inside("audit"), security, reader, out.audit);
  read_health(root.inside("health"), out.health);
  read_log(root.inside("log"), out.log);
  read_sandbox(root.inside("sandbox"), reader, out.sandbox);
  read_executors(root.inside("executors"), out);
  read_bridge(root, reader, out.bridge);
  auto sessions = root.inside("sessions");
  sessions.seconds({"idleSeconds"}, 1, 604'800, out.sessions.idle);
  sessions.integer({"max"}, 1, 1'000, out.sessions.count_max);
  auto outputs = root.inside("outputs");
  outputs.seconds({"ttlSeconds"}, 1, 604'800, out.outputs.ttl);
  outputs.mebibytes({"maxMb"}, 1, 1'048'576, out.outputs.bytes_max);
  out.state_folder = env.home.empty() ? "" : (fs::path{env.home} / ".code-executor").string();
  root.path({"stateDir", "CODE_EXECUTOR_STATE_DIR"}, out.state_folder);
  root.path({"mcpConfigPath", "MCP_CONFIG_PATH"}, out.servers_file);
  root.later({"sampling"});
  if (auto& problem = reader.finish(); problem.code != errc::none)
    return problem;
  return out;
}

} // namespace config
