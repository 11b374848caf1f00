#include "cli/dependencies.hpp"

#include "audit/place.hpp"
#include "cli/probe.hpp"
#include "config/kept_places.hpp"
#include "config/started_files.hpp"
#include "process/find_executable.hpp"
#include "setup/sync_plan.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace cli {

namespace {

/// Of the memory that this process may have, what it may hold for answers of servers that have not ended or wait: a
/// server's longest fits into it, whatever that memory is.
constexpr uint64_t unread_lines_share = 8;
static_assert(msg::limits::process_memory_bytes_min / unread_lines_share > msg::limits::child_line_bytes_max);

std::string own_folder() { return std::filesystem::path{process::own_executable()}.parent_path().string(); }

msg::outcome<egress::network_policy> network_policy_of(const config::security_settings& security) {
  egress::network_settings s;
  if (security.allow_any_host)
    s.allow_network = {"*"};
  else if (!security.allow_hosts.empty())
    s.allow_network = security.allow_hosts;
  return egress::make_policy(s);
}

/// What is of other programs and projects: no program may read it in a folder above.
void hide_state(const config::settings& settings, sandbox::path_policy& to) {
  if (settings.state_folder.empty())
    return;
  to.hidden.push_back(settings.state_folder);
  to.empty_folder = (std::filesystem::path{settings.state_folder} / "empty").string();
}

/// What decides what is started here, and what is allowed: no program may write it.
void keep_configuration(const config::environment& env, const config::settings& settings, sandbox::path_policy& to) {
  std::vector<config::kept_place> own{{settings.state_folder, true}, {settings.file, false}};
  for (auto& file : settings.searched)
    own.push_back({file, false});
  if (auto record = audit::place_of(settings.audit.path, settings.state_folder); record.file.empty())
    own.push_back({record.folder, true});
  else
    for (auto& file : {audit::path_of(record, record.file), audit::head_file(record)})
      own.push_back({file, false});
  std::erase_if(own, [](auto& place) { return place.path.empty(); });
  for (auto& path : setup::paths_of_sync(setup::places_of_sync(env, settings.state_folder)))
    if (std::error_code ec; path != setup::crontab_name && std::filesystem::exists(path, ec))
      own.push_back({path, false});
  for (auto& folder :
       {std::filesystem::path{own_folder()}, std::filesystem::path{own_folder()} / "../libexec/code-executor"})
    own.push_back({folder.lexically_normal().string(), true});
  for (auto& place : config::kept_places(env, own))
    to.kept.push_back({place.path, place.is_folder, place.why});
  for (auto& name : config::kept_names())
    to.kept_names.push_back({name.path, name.is_folder});
}

/// What is started for every program, be it in a folder that one of them may write.
void keep_runtimes(const sandbox::runtimes& found, const config::environment& env, const config::settings& settings,
                   sandbox::path_policy& to) {
  for (auto& named : {settings.typescript.deno, settings.python.python, env.home + "/.deno/bin/deno"})
    if (named.find('/') != named.npos) // else it is looked for in PATH
      to.kept.push_back({(std::filesystem::path{env.cwd} / named).lexically_normal().string(), false});
  if (!found.tools.value.bubblewrap.empty())
    to.kept.push_back({found.tools.value.bubblewrap, false});
  for (auto* runtime : {&found.typescript, &found.python, &found.pyodide})
    for (auto& m : runtime->value.mounts) {
      std::error_code ec;
      std::filesystem::path from{m.from.text()};
      bool is_folder = std::filesystem::is_directory(from, ec);
      if (from.is_absolute())
        to.kept.push_back({from.string(), is_folder});
      // Beside it lies what CPython is linked with, or could be.
      if (is_folder && from.filename().string().starts_with("python3."))
        to.kept.push_back({from.parent_path().string(), true});
    }
}

bool is_below_one_of(const std::vector<std::string>& folders, const std::string& path) {
  return std::any_of(folders.begin(), folders.end(), [&](auto& folder) {
    auto way = std::filesystem::path{path}.lexically_relative(folder);
    return !way.empty() && *way.begin() != "..";
  });
}

/// Programs that are links to where programs may write: whoever keeps the link keeps what it leads to.
void keep_links_in(const std::string& folder, sandbox::path_policy& to) {
  std::error_code ec;
  for (auto it = std::filesystem::directory_iterator(folder, ec); !ec && it != std::filesystem::directory_iterator{};
       it.increment(ec)) {
    std::error_code ignored;
    if (!it->is_symlink(ignored))
      continue;
    auto end = std::filesystem::weakly_canonical(it->path(), ignored);
    if (!ignored && is_below_one_of(to.write, end.string()))
      to.kept.push_back({it->path().string(), false});
  }
}

/// What is started by its name is looked for there: `npx` and an activated environment put folders of the project
/// first. There are no relative ones in it (config/environment.hpp).
void keep_search_path(std::string_view search_path, sandbox::path_policy& to) {
  while (!search_path.empty()) {
    auto folder = search_path.substr(0, search_path.find(':'));
    if (folder.starts_with('/')) {
      auto normal = std::filesystem::path{folder}.lexically_normal().string();
      keep_links_in(normal, to);
      to.kept.push_back({std::move(normal), true});
    }
    search_path.remove_prefix(std::min(folder.size() + 1, search_path.size()));
  }
}

/// What the settings say of an interpreter of this machine, and another runtime would never look at.
msg::fault check_python(const config::python_settings& python) {
  using config::python_runtime;
  if (python.runtime != python_runtime::pyodide && python.runtime != python_runtime::container)
    return {};
  auto runtime =
    std::string{"executors.python.runtime is "} + (python.runtime == python_runtime::pyodide ? "pyodide" : "container");
  if (!python.venv.empty())
    return {msg::errc::invalid_argument,
            "executors.python.venv needs CPython, but " + runtime + "; remove one of the two"};
  if (!python.version.empty())
    return {msg::errc::invalid_argument,
            "executors.python.version is that of CPython, but " + runtime + "; remove one of the two"};
  return {};
}

} // namespace

mcp::stdio_environment processes_of_servers(asio::io_context& io, bridge::threads& threads, uint64_t memory_bytes) {
  return {io.get_executor(), [&threads] { return threads.work.line(); },
          std::make_shared<process::common_budget>(memory_bytes / unread_lines_share)};
}

/// Not the pool of models' providers: their questions never wait for what servers hold.
mcp::http_environment web_of_servers(asio::io_context& io, bridge::threads& threads, uint64_t memory_bytes) {
  http::client_options options{{}, "code-executor/" CODE_EXECUTOR_VERSION};
  return {io.get_executor(), [&threads] { return threads.work.line(); },
          std::make_shared<http::client>(io, std::move(options)),
          std::make_shared<process::common_budget>(memory_bytes / unread_lines_share)};
}

sandbox::path_policy with_files_kept(sandbox::path_policy paths, const config::server_list& servers,
                                     const config::environment& env, const config::variable_lookup& variables) {
  if (paths.write.empty()) // no guest writes
    return paths;
  for (auto& file : config::files_of_servers(servers, env, variables))
    paths.kept.push_back({std::move(file.path), false, std::move(file.why)});
  return paths;
}

msg::outcome<dependency_plan> plan_world(const config::environment& env, const config::settings& settings) {
  auto network = network_policy_of(settings.security);
  if (!network.ok())
    return std::move(network.error);
  if (auto problem = check_python(settings.python); problem.code != msg::errc::none)
    return problem;
  dependency_plan plan;
  plan.runtimes = find_runtimes(env, settings, process::own_executable());
  plan.paths = {settings.security.allow_read, settings.security.allow_write, env.cwd};
  plan.paths.project_read = settings.security.project_read;
  plan.paths.project_write = settings.security.project_write;
  hide_state(settings, plan.paths);
  if (!plan.paths.write.empty()) { // else no guest writes
    keep_configuration(env, settings, plan.paths);
    keep_runtimes(plan.runtimes, env, settings, plan.paths);
    keep_search_path(env.path, plan.paths);
  }
  plan.network = std::move(network.value);
  if (settings.sandbox.isolation == config::isolation::required)
    plan.isolation = sandbox::isolation_policy::required;
  return plan;
}

std::shared_ptr<sandbox::container_host> plan_containers(const asio::any_io_executor& executor,
                                                         const config::environment& env,
                                                         const config::settings& settings,
                                                         const config::variable_lookup& variables) {
  if (settings.python.runtime != config::python_runtime::container || !settings.python.enabled)
    return nullptr;
  auto& from = settings.container;
  sandbox::container_settings s;
  if (from.tool != config::container_tool::first_found)
    s.runtime = from.tool == config::container_tool::podman ? "podman" : "docker";
  if (!from.image.empty())
    s.image = from.image;
  s.memory_bytes = from.memory_bytes;
  s.pids = from.processes;
  if (from.cpus > 0)
    s.cpus = std::to_string(from.cpus);
  s.user = from.user;
  sandbox::container_places places{env.path, sandbox::find_guest_files(own_folder()), settings.state_folder, variables};
  return std::make_shared<sandbox::container_host>(executor, std::move(s), std::move(places));
}

bridge::dependencies dependencies_of_servers(caf::strong_actor_ptr port, asio::io_context& io, bridge::threads& threads,
                                             const config::environment& env, const config::settings& settings,
                                             const config::variable_lookup& variables) {
  bridge::dependencies out{std::move(port),
                           io.get_executor(),
                           threads,
                           processes_of_servers(io, threads, settings.process.memory_bytes),
                           web_of_servers(io, threads, settings.process.memory_bytes),
                           env,
                           variables};
  out.state_folder = settings.state_folder;
  return out;
}

std::string problem_of(const bridge::dependencies& w, msg::language lang) {
  if (lang == msg::language::python && w.containers)
    return {};
  return problem_of(w.runtimes, lang);
}

} // namespace cli
