#include "cli/doctor.hpp"

#include "cli/checks.hpp"
#include "cli/colours.hpp"
#include "cli/dependencies.hpp"
#include "cli/named_files.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "cli/self_test.hpp"
#include "cli/sync_record.hpp"
#include "config/server_list.hpp"
#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "sandbox/container/container_guest.hpp"
#include "sandbox/isolation/self_test.hpp"
#include "text/utf8.hpp"

#include <asio/thread_pool.hpp>
#include <boost/json/value.hpp>

#include <cerrno>
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
constexpr milliseconds self_test_timeout{10'000};
/// The first container of an image may have to fetch it.
constexpr milliseconds container_timeout{120'000};
constexpr size_t version_bytes_max = 200;
/// Small, so that passing them takes no time. What enforces them is what enforces the real ones.
constexpr size_t self_test_memory_bytes = 96u << 20;
constexpr size_t self_test_temp_bytes = 16u << 20;
constexpr size_t self_test_processes = 16;

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
  return text::quoted(text.substr(0, text.find('\n')), version_bytes_max);
}

class examination {
public:
  examination(const config::environment& env, const msg::outcome<config::settings>& settings,
              const config::variable_lookup& variables)
    : env_(env),
      settings_(settings),
      plan_(plan_world(env, settings.value)),
      containers_(plan_containers(io_.get_executor(), env, settings.value, variables)),
      guests_{io_.get_executor(), workers_.get_executor(),
              sandbox::make_prespawned_guests(io_.get_executor(), process::own_executable()),
              std::make_shared<sandbox::memory_watch>(io_.get_executor(), workers_.get_executor())} {}

  ~examination() { workers_.join(); }

  void run() {
    check_configuration();
    check_state_folder();
    check_last_sync();
    check_tools();
    check_namespaces();
    check_isolation();
    check_cgroup("cgroup memory", guests_.prespawned->place().memory,
                 "a watcher looks at the memory of guests instead");
    check_cgroup("cgroup pids", guests_.prespawned->place().pids, "rlimits bound the number of processes instead");
    check_cgroup("cgroup cpu", guests_.prespawned->place().cpu,
                 "niceness alone puts the server before its guests, which is not enough where many compute");
    for (auto l : {language::typescript, language::python})
      check_language(l);
    if (can_run_) {
      check_memory_limit();
      check_process_limit();
    }
    for (auto& wall : report().layers)
      add("wall: " + wall.of, wall.holds ? check_status::ok : check_status::warning,
          wall.by + (wall.limit.empty() ? "" : ": " + wall.limit));
    for (auto* tool : {"podman", "docker"})
      check_container(tool);
  }

  msg::isolation_report report() const { return report_isolation(runtimes(), guests_.prespawned->place()); }
  const std::vector<check>& checks() const { return checks_; }
  /// The server does not start with settings that are wrong.
  bool can_run() const { return can_run_ && settings_.ok() && plan_.ok() && files_are_right_; }

private:
  void add(std::string name, check_status status, std::string found, std::string advice = {}) {
    checks_.push_back({std::move(name), status, std::move(found), std::move(advice)});
  }

  const sandbox::runtimes& runtimes() const { return plan_.value.runtimes; }
  const msg::outcome<sandbox::isolation_tools>& tools() const { return runtimes().tools; }
  bool in_container(language l) const { return l == language::python && containers_; }

  void check_configuration() {
    auto wrong = settings_.ok() ? problems_of_named_files(settings_.value) : std::vector<msg::fault>{};
    files_are_right_ = wrong.empty();
    if (!settings_.ok())
      add("settings", check_status::missing, settings_.error.message,
          "correct it; until then the server does not start");
    else if (!plan_.ok())
      add("settings", check_status::missing, plan_.error.message, "correct it; until then the server does not start");
    else if (!files_are_right_)
      add("settings", check_status::missing, wrong.front().message, "correct it; until then the server does not start");
    else
      add("settings", check_status::ok,
          settings_.value.file.empty() ? "no file, the defaults are used; looked at " + joined(settings_.value.searched)
                                       : settings_.value.file);
    auto servers = find_servers(env_, settings_.value.state_folder);
    if (servers.files.empty())
      add("MCP servers", check_status::warning, "no configuration was found",
          "programs run, but have no tools; see the README for the places");
    else
      add("MCP servers", check_status::ok, std::to_string(servers.entries.size()) + " in " + joined(servers.files));
    for (auto& problem : servers.problems)
      add("MCP servers", check_status::warning, problem);
    for (auto& s : servers.entries)
      if (!msg::is_trusted(s))
        add("MCP servers", check_status::warning, msg::refusal_to_start(s).message);
  }

  void check_last_sync() {
    if (auto last = read_sync_record(settings_.value.state_folder))
      add("last sync", last->error.empty() ? check_status::ok : check_status::warning, told(*last));
  }

  void check_state_folder() {
    fs::path folder = settings_.value.state_folder;
    if (folder.empty())
      return add("state folder", check_status::warning, "there is none: HOME is not set",
                 "set HOME, or CODE_EXECUTOR_STATE_DIR");
    std::error_code ec;
    auto existing = folder;
    while (!existing.empty() && existing != existing.root_path() && !fs::exists(existing, ec))
      existing = existing.parent_path();
    if (::access(existing.c_str(), W_OK | X_OK) != 0)
      return add("state folder", check_status::warning,
                 folder.string() + ": " + existing.string() + " is not writable: " + std::strerror(errno),
                 "make it writable, or set CODE_EXECUTOR_STATE_DIR");
    add("state folder", check_status::ok, folder.string() + (existing == folder ? "" : ", which will be made"));
  }

  void check_tools() {
    if (!tools().ok())
      return add("guest-init", check_status::missing, tools().error.message);
    auto& bubblewrap = tools().value.bubblewrap;
    if (bubblewrap.empty())
      add("bubblewrap", check_status::warning, "not found in PATH", "install the package `bubblewrap`");
    else
      add("bubblewrap", check_status::ok, version_of(io_, bubblewrap) + " (" + bubblewrap + ")");
    add("guest-init", check_status::ok, tools().value.guest_init);
  }

  /// By building a box.
  void check_isolation() {
    if (!tools().ok())
      return;
    auto& isolated = plan_.value.runtimes.tools.value.isolated;
    auto deadline = std::chrono::steady_clock::now() + sandbox::isolation_self_test_max;
    do
      isolated = sandbox::probe_isolation(io_.get_executor(), tools().value, plan_.value.isolation);
    while (isolated.mode == sandbox::isolation_mode::untried && std::chrono::steady_clock::now() < deadline);
    using sandbox::isolation_mode;
    auto& found = plan_.value.runtimes;
    if (isolated.mode == isolation_mode::landlock_only && may_be_pyodide(settings_.value.python)
        && found.pyodide.ok()) {
      found.python = found.pyodide; // as the server does
      found.python_is_pyodide = true;
    }
    auto status = isolated.mode == isolation_mode::namespaces      ? check_status::ok
                  : isolated.mode == isolation_mode::landlock_only ? check_status::warning
                                                                   : check_status::missing;
    add("isolation", status,
        std::string{to_string(isolated.mode)} + (isolated.reason.empty() ? "" : ": " + isolated.reason));
  }

  void check_namespaces() {
    long most = -1;
    std::ifstream{"/proc/sys/user/max_user_namespaces"} >> most;
    if (most == 0)
      return add("user namespaces", check_status::missing, "switched off: user.max_user_namespaces is 0",
                 "sysctl user.max_user_namespaces=15000");
    long restricted = 0;
    std::ifstream{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns"} >> restricted;
    if (restricted == 1)
      return add("user namespaces", check_status::warning, "AppArmor restricts them",
                 "give bwrap a profile with the rule `userns,`");
    add("user namespaces", check_status::ok, most < 0 ? "the kernel does not tell" : "up to " + std::to_string(most));
  }

  void check_cgroup(const char* name, const sandbox::cgroup_controller& c, const std::string& instead) {
    if (c.version != sandbox::cgroup_version::none)
      return add(name, check_status::ok, std::string{to_string(c.version)} + ", writable: " + c.folder);
    add(name, check_status::warning, c.problem.empty() ? "no cgroups are mounted" : c.problem,
        instead + "; cgroup v1 needs root, v2 delegation: systemd-run --user --scope -p Delegate=yes code-executor");
  }

  sandbox::box box_of(language l) const {
    auto box = runtimes().of(l).value;
    box.cpu_seconds = limits::guest_cpu_seconds_max;
    return box;
  }

  self_test_result try_box(const sandbox::box& box, const char* code) {
    auto start = [&](sandbox::guest_events events) {
      return sandbox::start_guest(guests_, box, tools().value, std::move(events));
    };
    return try_guest(io_, start, code, self_test_timeout);
  }

  self_test_result try_container(const char* code) {
    auto start = [&](sandbox::guest_events events) {
      return sandbox::start_container_guest(guests_, containers_, limits::guest_cpu_seconds_max, std::move(events));
    };
    return try_guest(io_, start, code, container_timeout);
  }

  /// What it failed of.
  static std::string failure_of(const self_test_result& t) {
    auto why = !t.problem.empty()        ? t.problem
               : t.done                  ? t.end.error.message
               : !t.exit.problem.empty() ? t.exit.problem
                                         : "its process ended with code " + std::to_string(t.exit.code);
    return why + (t.diagnostics.empty() ? "" : ": " + text::quoted(t.diagnostics, limits::child_quote_bytes_max));
  }

  void check_language(language l) {
    std::string name = to_string(l);
    auto& problem = !tools().ok() ? tools().error : runtimes().of(l).error;
    if (!in_container(l) && problem.code != msg::errc::none)
      return add(name, check_status::missing, problem.message);
    auto* code = l == language::typescript ? "return 1 + 1" : "1 + 1";
    auto t = in_container(l) ? try_container(code) : try_box(box_of(l), code);
    bool pyodide = l == language::python && runtimes().python_is_pyodide && !in_container(l);
    auto program = in_container(l) ? std::string{"a container"} : runtimes().of(l).value.mounts.front().from.text();
    bool answered = t.done && !t.end.failed && t.end.result.text() == "2";
    if (!answered)
      return add(name, check_status::missing, program + " does not work in the sandbox: " + failure_of(t));
    can_run_ = true;
    runs_[l] = !in_container(l) && !pyodide;
    add(name, check_status::ok,
        std::string{pyodide ? "Pyodide in " : ""}
          + (in_container(l) ? program : version_of(io_, program) + " (" + program + ")") + ": a guest was ready after "
          + std::to_string(t.ready_after.count()) + " ms and answered 1+1 after " + std::to_string(t.took.count())
          + " ms");
  }

  void check_memory_limit() {
    if (!runs_[language::python] && !runs_[language::typescript])
      return add("memory limit", check_status::warning, "not tried: it needs a guest of TypeScript or CPython");
    auto l = runs_[language::python] ? language::python : language::typescript;
    auto box = box_of(l);
    box.memory_bytes = self_test_memory_bytes;
    box.temp_bytes = self_test_temp_bytes;
    auto t = try_box(box, l == language::python ? python_memory_bomb : typescript_memory_bomb);
    auto after = " after " + std::to_string(t.took.count()) + " ms, at a limit of "
                 + std::to_string(self_test_memory_bytes >> 20) + " MiB";
    if (!t.problem.empty() || (t.done && !t.end.failed))
      add("memory limit", check_status::missing,
          "a guest went past it: " + (t.problem.empty() ? "nothing stopped it" : t.problem),
          "do not run programs that you do not trust");
    else if (t.exit.out_of_memory)
      add("memory limit", check_status::ok, "a guest that went past it was ended" + after);
    else
      add("memory limit", check_status::ok, "a guest that went past it was refused the memory" + after);
  }

  void check_process_limit() {
    if (!runs_[language::python])
      return add("process limit", check_status::warning, "not tried: it needs a guest of CPython");
    auto box = box_of(language::python);
    box.processes = self_test_processes;
    auto t = try_box(box, python_fork_bomb);
    auto born = t.done && !t.end.failed ? std::atol(t.end.result.text().c_str()) : -1;
    if (born < 0 || born > static_cast<long>(self_test_processes))
      return add("process limit", check_status::missing,
                 born < 0 ? "a guest that forks " + failure_of(t) : "a guest forked " + std::to_string(born) + " times",
                 "do not run programs that you do not trust");
    add("process limit", check_status::ok,
        "a guest that forks without end got " + std::to_string(born) + " processes, at a limit of "
          + std::to_string(self_test_processes));
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
  msg::outcome<dependency_plan> plan_;
  std::shared_ptr<sandbox::container_host> containers_; ///< null: Python runs in boxes
  sandbox::guest_environment guests_;
  std::vector<check> checks_;
  std::map<language, bool> runs_; ///< in a box, with what the trials of limits need
  bool can_run_ = false;
  bool files_are_right_ = true; ///< that the settings name
};

} // namespace

int doctor(const config::environment& environment, const msg::outcome<config::settings>& settings,
           const config::variable_lookup& variables, output_form form) {
  examination e{environment, settings, variables};
  e.run();
  if (form == output_form::json)
    print_document(as_json(e.checks(), e.report(), e.can_run()));
  else
    std::cout << as_text(e.checks(), has_colours(STDOUT_FILENO));
  return e.can_run() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace cli
