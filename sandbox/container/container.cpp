#include "sandbox/container/container.hpp"

#include "messages/document.hpp"
#include "sandbox/container/container_owner.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace sandbox {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using strings = std::vector<std::string>;

namespace {

constexpr uint64_t mib = 1u << 20;
/// Seed of the design: a folder to work in beside /tmp. Counts as memory of the container.
constexpr uint64_t workspace_bytes_max = 128 * mib;
constexpr const char* tmpfs_options = ":rw,noexec,nosuid,nodev,size=";
/// Ids 0 to 65534 of a container exec the 65535 that /etc/subuid usually grants; our own id is not among them.
constexpr const char* own_user_map = "0:1:65535";
constexpr size_t quote_bytes_max = 500;
/// Podman lowers its own limit to this (4.3), and a user who may not raise limits can not give more.
constexpr uint64_t podman_processes_max = 32'768;

void add(strings& to, std::initializer_list<std::string> more) { to.insert(to.end(), more); }

std::string tmpfs(const char* path, uint64_t bytes) {
  return path + std::string{tmpfs_options} + std::to_string(bytes / mib) + "m";
}

void add_ulimit(strings& a, const char* name, uint64_t value) {
  auto text = std::to_string(value);
  add(a, {"--ulimit", std::string{name} + "=" + text + ":" + text});
}

/// What the engine would otherwise set by itself, higher than an unprivileged one may.
void add_ulimits(strings& a, const container_settings& settings, const container_engine& engine) {
  add_ulimit(a, "core", 0);
  add_ulimit(a, "nofile", std::min<uint64_t>(limits::guest_open_files_max, engine.ceiling.open_files));
  // Where a cgroup counts the processes of one container, this only has to allow all containers together: they are one
  // user.
  auto processes = uint64_t{settings.pids} * (engine.enforced.pids ? limits::runs_max : 1);
  add_ulimit(a, "nproc", std::min({processes, engine.ceiling.processes, podman_processes_max}));
}

void add_environment(strings& a, const container_engine& engine) {
  for (auto* variable :
       {"HOME=/workspace", "LANG=C.UTF-8", "PYTHONUNBUFFERED=1", "PYTHONIOENCODING=utf-8", "PYTHONDONTWRITEBYTECODE=1"})
    add(a, {"--env", variable});
  if (engine.tool == container_tool::podman)
    return add(a, {"--http-proxy=false"});
  for (auto* name : {"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy",
                     "ftp_proxy", "no_proxy", "all_proxy"})
    add(a, {"--env", std::string{name} + "="}); // docker would copy them from its config.json, passwords included
}

/// The engines' own filters let a program into user namespaces, other processes, and AF_VSOCK, which no network
/// namespace holds.
void add_walls(strings& a, const container_settings& settings, const container_engine& engine,
               const std::string& guest_files) {
  add(a, {"--security-opt", "no-new-privileges", "--cap-drop", "ALL", "--user", settings.user});
  add(a, {"--security-opt", "seccomp=" + guest_files + "/container/seccomp.json"});
  if (engine.selinux)
    add(a, {"--security-opt", "label=disable"}); // its policy forbids a container to connect to our socket
  if (engine.own_users)
    add(a, {"--uidmap", own_user_map, "--gidmap", own_user_map});
  // No unbounded tmpfs on /run and /var/tmp, nothing of the host's /etc/hosts.
  if (engine.tool == container_tool::podman)
    add(a, {"--read-only-tmpfs=false", "--no-hosts"});
}

std::string text_at(const json::value& in, std::initializer_list<const char*> path) {
  auto* at = &in;
  for (auto* key : path) {
    auto* object = at->if_object();
    at = object ? object->if_contains(key) : nullptr;
    if (!at)
      return {};
  }
  return at->is_string() ? std::string{at->as_string()} : at->is_bool() && at->as_bool() ? "true" : "";
}

void read_podman(const json::value& info, container_engine& engine) {
  engine.rootless = text_at(info, {"host", "security", "rootless"}) == "true";
  engine.selinux = text_at(info, {"host", "security", "selinuxEnabled"}) == "true";
  engine.remote = text_at(info, {"host", "serviceIsRemote"}) == "true";
  engine.cgroup_version = text_at(info, {"host", "cgroupVersion"});
  engine.default_runtime = text_at(info, {"host", "ociRuntime", "name"});
  engine.storage_driver = text_at(info, {"store", "graphDriverName"});
}

void read_docker(const json::value& info, container_engine& engine) {
  auto version = text_at(info, {"CgroupVersion"});
  engine.cgroup_version = version.empty() ? "" : "v" + version;
  engine.default_runtime = text_at(info, {"DefaultRuntime"});
  engine.storage_driver = text_at(info, {"Driver"});
  auto* options = info.is_object() ? info.as_object().if_contains("SecurityOptions") : nullptr;
  if (!options || !options->is_array())
    return;
  for (auto& option : options->as_array()) {
    auto text = option.is_string() ? std::string_view{option.as_string()} : std::string_view{};
    engine.rootless = engine.rootless || text.find("name=rootless") != text.npos;
    engine.selinux = engine.selinux || text.find("name=selinux") != text.npos;
  }
}

/// A number of the probe; 0: there is no limit.
double number_at(const json::value& in, const char* key) {
  auto* found = in.is_object() ? in.as_object().if_contains(key) : nullptr;
  return found && found->is_number() ? found->to_number<double>() : 0;
}

double to_number(const std::string& text) {
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

bool at_most(double found, double wanted) { return found > 0 && found <= wanted; }

} // namespace

strings run_arguments(const container_settings& settings, const container_engine& engine, const container_run& run) {
  strings a{engine.executable};
  if (!engine.oci_runtime.empty())
    add(a, {"--runtime", engine.oci_runtime});
  auto memory = std::to_string(settings.memory_bytes);
  add(a, {"run", "--rm", "--interactive", "--network", "none", "--read-only", "--pids-limit",
          std::to_string(settings.pids), "--memory", memory});
  add(a, {"--memory-swap", memory, "--tmpfs", tmpfs("/tmp", limits::guest_temp_bytes_max), "--tmpfs",
          tmpfs("/workspace", workspace_bytes_max)});
  add(a, {"--shm-size", std::to_string(limits::guest_temp_bytes_max)});
  // Docker would make the folder in the image, for root; connect.py goes there anyway.
  if (engine.tool == container_tool::podman)
    add(a, {"--workdir", "/workspace"});
  add_environment(a, engine);
  add_walls(a, settings, engine, run.guest_files);
  if (!settings.cpus.empty())
    add(a, {"--cpus", settings.cpus});
  add_ulimits(a, settings, engine);
  if (engine.tool == container_tool::podman && run.alive_max.count() > 0)
    add(a, {"--timeout", std::to_string(run.alive_max.count())});
  add(a, {"--name", run.name, "--label", std::string{owner_label} + "=" + run.owner, "--hostname", "sandbox"});
  add(a, {"--pull", "never", "--stop-timeout", "0", "--log-driver", "none"});
  for (auto* folder : {"python", "container"})
    add(a, {"--volume", run.guest_files + "/" + folder + ":/guest/" + folder + ":ro"});
  if (!run.ipc_folder.empty())
    add(a, {"--volume", run.ipc_folder + ":/ipc:ro", "--env", token_variable});
  a.push_back(settings.image);
  a.insert(a.end(), run.command.begin(), run.command.end());
  return a;
}

/// A process may have as much data as its container memory: then Python gets a MemoryError before the kernel kills it.
strings guest_command(const container_settings& settings, uint32_t cpu_seconds) {
  return {"python3",
          "-I",
          "-S",
          "-u",
          "/guest/container/connect.py",
          std::to_string(settings.memory_bytes),
          std::to_string(cpu_seconds)};
}

strings remove_arguments(const container_engine& engine, const strings& names) {
  strings a{engine.executable, "rm", "--force", "--volumes"};
  if (engine.tool == container_tool::podman)
    add(a, {"--ignore", "--time", "0"});
  a.insert(a.end(), names.begin(), names.end());
  return a;
}

strings info_arguments(const container_engine& engine) {
  return {engine.executable, "info", "--format", engine.tool == container_tool::podman ? "json" : "{{json .}}"};
}

strings image_arguments(const container_engine& engine, const std::string& image) {
  return {engine.executable, "image", "inspect", "--format", "{{.Id}}", image};
}

strings list_arguments(const container_engine& engine) {
  std::string label{owner_label};
  auto owner =
    engine.tool == container_tool::podman ? "{{index .Labels \"" + label + "\"}}" : "{{.Label \"" + label + "\"}}";
  return {engine.executable, "ps", "--all", "--filter", "label=" + label, "--format", "{{.Names}} " + owner};
}

strings leftovers_in(std::string_view list, const std::function<bool(std::string_view owner)>& is_dead) {
  strings out;
  while (!list.empty()) {
    auto end = std::min(list.find('\n'), list.size());
    auto line = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    auto space = line.find(' ');
    if (space != line.npos && line.starts_with("code-executor-") && is_dead(line.substr(space + 1)))
      out.emplace_back(line.substr(0, space));
  }
  return out;
}

fault read_info(std::string_view text, container_engine& engine) {
  auto info = msg::document::parse(text);
  if (!info.ok())
    return {errc::runtime_missing, engine.executable + " info printed what is no JSON: " + info.error.message};
  engine.tool == container_tool::podman ? read_podman(info.value.value(), engine)
                                        : read_docker(info.value.value(), engine);
  if (engine.remote)
    return {errc::runtime_missing,
            engine.executable + " runs its containers on another machine, and guests need a socket of this one"};
  return {};
}

msg::outcome<enforced_limits> read_probe(std::string_view text, const container_settings& settings) {
  auto found = msg::document::parse(text);
  if (!found.ok())
    return fault{errc::runtime_missing, "a container of the image " + settings.image + " printed '"
                                          + text::quoted(text, quote_bytes_max)
                                          + "' where the limits it sees were asked for"};
  auto& seen = found.value.value();
  enforced_limits out;
  out.memory = at_most(number_at(seen, "memory"), static_cast<double>(settings.memory_bytes));
  out.pids = at_most(number_at(seen, "pids"), settings.pids);
  constexpr double rounding = 0.01; // the kernel takes microseconds of a period
  out.cpus = !settings.cpus.empty() && at_most(number_at(seen, "cpus"), to_number(settings.cpus) + rounding);
  return out;
}

std::string error_in(std::string_view printed) {
  while (!printed.empty() && (printed.back() == '\n' || printed.back() == ' '))
    printed.remove_suffix(1);
  auto line = printed.rfind('\n');
  return text::quoted(line == printed.npos ? printed : printed.substr(line + 1), quote_bytes_max);
}

strings engine_environment(const std::function<std::string(std::string_view)>& variable) {
  strings out;
  for (auto* name : {"HOME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
                     "DBUS_SESSION_BUS_ADDRESS", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF",
                     "CONTAINERS_REGISTRIES_CONF", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG"})
    if (auto value = variable(name); !value.empty())
      out.push_back(std::string{name} + "=" + value);
  return out;
}

} // namespace sandbox
