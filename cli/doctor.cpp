#include "cli/doctor.hpp"

#include "cli/checks.hpp"
#include "cli/found.hpp"
#include "cli/trial.hpp"
#include "config/server_list.hpp"
#include "messages/limits.hpp"
#include "messages/utf8.hpp"
#include "process/find_executable.hpp"

#include <asio/thread_pool.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <poll.h>
#include <unistd.h>

namespace cli {

namespace fs = std::filesystem;
namespace limits = msg::limits;
using msg::language;
using std::chrono::milliseconds;

namespace {

/// A healthy guest answers in 0.05 s, and one that takes too much is stopped in 0.3 s; a loaded machine takes longer.
constexpr milliseconds trial_timeout{10'000};
constexpr size_t version_bytes_max = 200;
/// Small, so that passing them takes no time. What enforces them is what enforces the real ones.
constexpr size_t trial_memory_bytes = 96u << 20;
constexpr size_t trial_temp_bytes = 16u << 20;
constexpr size_t trial_processes = 16;

/// Shared memory: the limit of one process (RLIMIT_DATA) does not see it.
constexpr const char* python_memory_bomb = R"(
import mmap
block = b'x' * (1 << 20)
area = mmap.mmap(-1, 512 << 20)
for _ in range(512):
    area.write(block)
'unharmed')";
constexpr const char* typescript_memory_bomb = R"(
const all = [];
for (let i = 0; i < 128; i++) all.push(new Uint8Array(4 << 20).fill(1));
return 'unharmed';)";
constexpr const char* python_fork_bomb = R"(
import os, time
born = 0
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(30)
        born += 1
except OSError:
    pass
born)";

/// The first line that `program --version` prints; empty: it does not work.
std::string version_of(asio::io_context& io, const std::string& program) {
  auto out = process::make_pipe();
  process::launch what;
  what.argv = {program, "--version"};
  what.descriptors = {{out.write.get(), 1}};
  auto child = process::start(io.get_executor(), what);
  out.write = {};
  if (!child.ok())
    return {};
  std::string text;
  pollfd readable{out.read.get(), POLLIN, 0};
  auto deadline = std::chrono::steady_clock::now() + limits::runtime_probe_timeout;
  while (text.size() < version_bytes_max && text.find('\n') == text.npos) {
    auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    char chunk[256];
    if (left <= 0 || ::poll(&readable, 1, static_cast<int>(left)) <= 0)
      break;
    auto n = ::read(out.read.get(), chunk, sizeof chunk);
    if (n <= 0)
      break;
    text.append(chunk, static_cast<size_t>(n));
  }
  return msg::quoted(text.substr(0, text.find('\n')), version_bytes_max);
}

class examination {
public:
  examination(const config::environment& env, const msg::outcome<config::settings>& settings)
    : env_(env),
      settings_(settings),
      runtimes_(find_runtimes(env, settings.value, process::own_executable())),
      guests_{io_.get_executor(), workers_.get_executor(), sandbox::make_guest_seats(io_.get_executor(), process::own_executable()),
              std::make_shared<sandbox::memory_watch>(io_.get_executor(), workers_.get_executor())} {
    if (!runtimes_.tools.ok())
      return;
    auto policy =
      settings.value.sandbox.isolation == config::isolation::required ? sandbox::isolation_policy::required : sandbox::isolation_policy::automatic;
    runtimes_.tools.value.walls = sandbox::probe_isolation(io_.get_executor(), runtimes_.tools.value, policy);
  }

  ~examination() { workers_.join(); }

  void run() {
    check_configuration();
    check_state_folder();
    check_tools();
    check_namespaces();
    check_cgroup("cgroup memory", guests_.seats->place().memory, "a watcher looks at the memory of guests instead");
    check_cgroup("cgroup pids", guests_.seats->place().pids, "rlimits bound the number of processes instead");
    for (auto l : {language::typescript, language::python})
      check_language(l);
    if (can_run_) {
      check_memory_limit();
      check_process_limit();
    }
    for (auto& wall : report().walls)
      add("wall: " + wall.of, wall.holds ? check_status::ok : check_status::warning, wall.by + (wall.limit.empty() ? "" : ": " + wall.limit));
    for (auto* tool : {"podman", "docker"})
      check_container(tool);
  }

  msg::isolation_report report() const { return report_isolation(runtimes_, guests_.seats->place()); }
  const std::vector<check>& checks() const { return checks_; }
  /// The server does not start with settings that are wrong.
  bool can_run() const { return can_run_ && settings_.ok(); }

private:
  void add(std::string name, check_status status, std::string found, std::string advice = {}) {
    checks_.push_back({std::move(name), status, std::move(found), std::move(advice)});
  }

  void check_configuration() {
    if (!settings_.ok())
      add("settings", check_status::missing, settings_.error.message, "correct it; until then the server does not start");
    else
      add("settings", check_status::ok,
          settings_.value.file.empty() ? "no file, the defaults are used; looked at " + joined(settings_.value.searched) : settings_.value.file);
    auto servers = config::load_servers(env_, process::own_executable());
    if (servers.files.empty())
      add("MCP servers", check_status::warning, "no configuration was found", "programs run, but have no tools; see the README for the places");
    else
      add("MCP servers", check_status::ok, std::to_string(servers.entries.size()) + " in " + joined(servers.files));
    for (auto& problem : servers.problems)
      add("MCP servers", check_status::warning, problem);
  }

  void check_state_folder() {
    fs::path folder = settings_.value.state_folder;
    if (folder.empty())
      return add("state folder", check_status::warning, "there is none: HOME is not set", "set HOME, or CODE_EXECUTOR_STATE_DIR");
    std::error_code ec;
    auto existing = folder;
    while (!existing.empty() && existing != existing.root_path() && !fs::exists(existing, ec))
      existing = existing.parent_path();
    if (::access(existing.c_str(), W_OK | X_OK) != 0)
      return add("state folder", check_status::warning, folder.string() + ": " + existing.string() + " is not writable: " + std::strerror(errno),
                 "make it writable, or set CODE_EXECUTOR_STATE_DIR");
    add("state folder", check_status::ok, folder.string() + (existing == folder ? "" : ", which will be made"));
  }

  void check_tools() {
    if (!runtimes_.tools.ok())
      return add("bubblewrap", check_status::missing, runtimes_.tools.error.message);
    auto& tools = runtimes_.tools.value;
    add("bubblewrap", check_status::ok, version_of(io_, tools.bubblewrap) + " (" + tools.bubblewrap + ")");
    add("guest-init", check_status::ok, tools.guest_init);
  }

  void check_namespaces() {
    long most = -1;
    std::ifstream{"/proc/sys/user/max_user_namespaces"} >> most;
    if (most == 0)
      return add("user namespaces", check_status::missing, "switched off: user.max_user_namespaces is 0", "sysctl user.max_user_namespaces=15000");
    long restricted = 0;
    std::ifstream{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns"} >> restricted;
    if (restricted == 1)
      return add("user namespaces", check_status::warning, "AppArmor restricts them", "give bwrap a profile with the rule `userns,`");
    add("user namespaces", check_status::ok, most < 0 ? "the kernel does not tell" : "up to " + std::to_string(most));
  }

  void check_cgroup(const char* name, const sandbox::cgroup_controller& c, const std::string& instead) {
    if (c.version != sandbox::cgroup_version::none)
      return add(name, check_status::ok, std::string{to_string(c.version)} + ", writable: " + c.folder);
    add(name, check_status::warning, c.problem.empty() ? "no cgroups are mounted" : c.problem,
        instead + "; cgroup v1 needs root, v2 delegation: systemd-run --user --scope -p Delegate=yes code-executor");
  }

  sandbox::box box_of(language l) const {
    auto box = runtimes_.of(l).value;
    box.cpu_seconds = limits::guest_cpu_seconds_max;
    return box;
  }

  /// What it failed of.
  static std::string failure_of(const trial& t) {
    auto why = !t.problem.empty() ? t.problem : t.done ? t.end.error.message : "its process ended with code " + std::to_string(t.exit.code);
    return why + (t.diagnostics.empty() ? "" : ": " + msg::quoted(t.diagnostics, limits::child_quote_bytes_max));
  }

  void check_language(language l) {
    std::string name = to_string(l);
    if (auto problem = problem_of(runtimes_, l); !problem.empty())
      return add(name, check_status::missing, problem);
    auto& program = runtimes_.of(l).value.mounts.front().from;
    auto t = try_guest(io_, guests_, box_of(l), runtimes_.tools.value, l == language::typescript ? "return 1 + 1" : "1 + 1", trial_timeout);
    bool answered = t.done && !t.end.failed && t.end.result.text() == "2";
    if (!answered)
      return add(name, check_status::missing, program + " does not work in the sandbox: " + failure_of(t));
    runs_[l] = can_run_ = true;
    add(name, check_status::ok,
        version_of(io_, program) + " (" + program + "): a guest was ready after " + std::to_string(t.ready_after.count())
          + " ms and answered 1+1 after " + std::to_string(t.took.count()) + " ms");
  }

  void check_memory_limit() {
    auto l = runs_[language::python] ? language::python : language::typescript;
    auto box = box_of(l);
    box.memory_bytes = trial_memory_bytes;
    box.temp_bytes = trial_temp_bytes;
    auto t = try_guest(io_, guests_, box, runtimes_.tools.value, l == language::python ? python_memory_bomb : typescript_memory_bomb, trial_timeout);
    auto after = " after " + std::to_string(t.took.count()) + " ms, at a limit of " + std::to_string(trial_memory_bytes >> 20) + " MiB";
    if (!t.problem.empty() || (t.done && !t.end.failed))
      add("memory limit", check_status::missing, "a guest went past it: " + (t.problem.empty() ? "nothing stopped it" : t.problem),
          "do not run programs that you do not trust");
    else if (t.exit.out_of_memory)
      add("memory limit", check_status::ok, "a guest that went past it was ended" + after);
    else
      add("memory limit", check_status::ok, "a guest that went past it was refused the memory" + after);
  }

  void check_process_limit() {
    if (!runs_[language::python])
      return add("process limit", check_status::warning, "not tried: it needs a guest in Python");
    auto box = box_of(language::python);
    box.processes = trial_processes;
    auto t = try_guest(io_, guests_, box, runtimes_.tools.value, python_fork_bomb, trial_timeout);
    auto born = t.done && !t.end.failed ? std::atol(t.end.result.text().c_str()) : -1;
    if (born < 0 || born > static_cast<long>(trial_processes))
      return add("process limit", check_status::missing,
                 born < 0 ? "a guest that forks " + failure_of(t) : "a guest forked " + std::to_string(born) + " times",
                 "do not run programs that you do not trust");
    add("process limit", check_status::ok,
        "a guest that forks without end got " + std::to_string(born) + " processes, at a limit of " + std::to_string(trial_processes));
  }

  void check_container(const char* tool) {
    auto program = process::find_executable(tool, env_.path, env_.cwd);
    if (program.empty())
      return add(tool, check_status::ok, "not found; needed only for executors.python.runtime: container");
    auto version = version_of(io_, program);
    add(tool, version.empty() ? check_status::warning : check_status::ok,
        (version.empty() ? "does not tell its version" : version) + " (" + program + ")");
  }

  const config::environment& env_;
  const msg::outcome<config::settings>& settings_;
  asio::io_context io_{1};
  asio::thread_pool workers_{1};
  sandbox::runtimes runtimes_;
  sandbox::guest_environment guests_;
  std::vector<check> checks_;
  std::map<language, bool> runs_;
  bool can_run_ = false;
};

} // namespace

int doctor(const config::environment& environment, const msg::outcome<config::settings>& settings, output_form form) {
  std::signal(SIGPIPE, SIG_IGN);
  examination e{environment, settings};
  e.run();
  if (form == output_form::json)
    std::cout << boost::json::serialize(as_json(e.checks(), e.report(), e.can_run())) << "\n";
  else
    std::cout << as_text(e.checks(), ::isatty(STDOUT_FILENO) != 0);
  return e.can_run() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace cli
