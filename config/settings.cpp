#include "config/settings.hpp"

#include "config/json_file.hpp"
#include "config/settings_reader.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace config {

namespace fs = std::filesystem;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;
using section = settings_reader::section;

namespace {

constexpr size_t host_bytes_max = 260; // 253 of a name, a wildcard, a port

bool all_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || others.find(c) != others.npos; });
}

bool is_host_pattern(std::string_view text) { return !text.empty() && text.size() <= host_bytes_max && all_of(text, ".-_*:[]"); }

// Both become arguments of podman or docker: nothing that they take for an option.
bool is_image(std::string_view text) { return !text.empty() && text[0] != '-' && all_of(text, "._-/:@"); }
bool is_user(std::string_view text) { return !text.empty() && text[0] != '-' && text[0] != ':' && text.back() != ':' && all_of(text, "._-:"); }

bool is_python_version(std::string_view text) {
  auto minor = text.substr(std::min<size_t>(2, text.size()));
  return text.starts_with("3.") && !minor.empty() && minor.size() <= 2 && minor.find_first_not_of("0123456789") == minor.npos;
}

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

void read_security(section s, settings_reader& reader, const environment& env, const std::string& projects, security_settings& to) {
  s.paths({"allowRead"}, to.allow_read);
  for (size_t begin = 0; begin < projects.size();) {
    auto end = std::min(projects.find(':', begin), projects.size());
    if (auto item = projects.substr(begin, end - begin); !item.empty())
      to.allow_read.push_back(reader.path_of({boost::json::string{item}, true, "ALLOWED_PROJECTS", "'" + item + "'", env.cwd}));
    begin = end + 1;
  }
  bool all_of_read = false;
  if (s.is_flag("allowWrite"))
    s.flag({"allowWrite"}, all_of_read);
  else
    s.paths({"allowWrite"}, to.allow_write);
  if (all_of_read)
    to.allow_write = to.allow_read;
  constexpr auto host = "a host name, an address or a pattern such as *.example.com, without scheme and path";
  if (s.is_flag("allowNetwork"))
    s.flag({"allowNetwork"}, to.allow_any_host);
  else
    s.texts({"allowNetwork"}, is_host_pattern, host, to.allow_hosts);
  s.texts({"allowedDomains"}, is_host_pattern, host, to.allow_hosts);
  s.later({"allowedTools", "deniedTools", "auditLogPath", "enableAuditLog", "dangerousPatterns", "skipDangerousPatternCheck", "defaultTimeoutMs",
           "maxTimeoutMs", "maxCodeSize", "rateLimit"});
}

void read_sandbox(section s, settings_reader& reader, sandbox_settings& to) {
  s.one_of<isolation>({"isolation"}, {{"auto", isolation::automatic}, {"required", isolation::required}}, to.isolation);
  auto pool = s.inside("pool");
  uint32_t most = 0; // not given
  pool.integer({"size"}, 0, 64, to.pool_size);
  pool.integer({"max"}, 1, 64, most);
  if (most > 0 && most < to.pool_size)
    reader.complain({errc::invalid_argument, reader.at("sandbox.pool.max") + " must not be below 'sandbox.pool.size'"});
  to.pool_max = most > 0 ? most : std::max(to.pool_max, to.pool_size);
  pool.seconds({"idleSeconds"}, 1, 86'400, to.pool_idle);
  s.mebibytes({"memoryMb"}, 64, 1'048'576, to.memory_bytes);
  s.integer({"processes"}, 16, 32'768, to.processes);
  s.mebibytes({"tempMb"}, 1, 1'048'576, to.temp_bytes);
}

void read_executors(section s, settings& to) {
  auto typescript = s.inside("typescript");
  typescript.flag({"enabled"}, to.typescript.enabled);
  typescript.command({"denoPath", "DENO_PATH"}, to.typescript.deno);

  auto python = s.inside("python");
  python.flag({"enabled", "PYTHON_ENABLED"}, to.python.enabled);
  python.command({"pythonPath", "PYTHON_PATH"}, to.python.python);
  python.text({"version"}, is_python_version, "a version of Python 3 such as \"3.11\"", to.python.version);
  python.path({"venv"}, to.python.venv);
  python.one_of<python_runtime>({"runtime"},
                                {{"auto", python_runtime::automatic},
                                 {"cpython", python_runtime::cpython},
                                 {"pyodide", python_runtime::pyodide},
                                 {"container", python_runtime::container}},
                                to.python.runtime);

  auto container = s.inside("container");
  auto& c = to.container;
  container.one_of<container_tool>({"runtime", "MCP_BRIDGE_RUNTIME"}, {{"podman", container_tool::podman}, {"docker", container_tool::docker}},
                                   c.tool);
  container.text({"image", "MCP_BRIDGE_IMAGE"}, is_image, "the name of an image", c.image);
  container.bytes({"memory", "MCP_BRIDGE_MEMORY"}, 16ull << 20, 1ull << 40, c.memory_bytes);
  container.integer({"pids", "MCP_BRIDGE_PIDS"}, 4, 32'768, c.processes);
  container.number({"cpus", "MCP_BRIDGE_CPUS"}, 0.01, 1'024, c.cpus);
  container.text({"user", "MCP_BRIDGE_CONTAINER_USER"}, is_user, "a user, or user:group, such as 65534:65534", c.user);
}

void read_bridge(section s, settings_reader& reader, bridge_settings& to) {
  s.one_of<bridge_output>({nullptr, "MCP_BRIDGE_OUTPUT_MODE"}, {{"compact", bridge_output::compact}, {"toon", bridge_output::toon}}, to.output);
  milliseconds usual{0}, most{0}; // not given
  s.duration({nullptr, "MCP_BRIDGE_TIMEOUT"}, limits::run_timeout_min, limits::run_timeout_max, usual);
  s.duration({nullptr, "MCP_BRIDGE_MAX_TIMEOUT"}, limits::run_timeout_min, limits::run_timeout_max, most);
  if (most.count() > 0 && most < usual)
    reader.complain({errc::invalid_argument, "MCP_BRIDGE_TIMEOUT must not be above MCP_BRIDGE_MAX_TIMEOUT"});
  to.timeout_max = most.count() > 0 ? most : to.timeout_max;
  to.timeout = usual.count() > 0 ? usual : std::min(to.timeout, to.timeout_max);
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
  read_security(root.inside("security"), reader, env, variable("ALLOWED_PROJECTS"), out.security);
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
  root.later({"sampling", "rateLimit"});
  if (auto& problem = reader.finish(); problem.code != errc::none)
    return problem;
  return out;
}

} // namespace config
