#include "sandbox/container/container_engine.hpp"

#include "process/find_executable.hpp"
#include "process/no_throw.hpp"
#include "sandbox/container/container_owner.hpp"

#include <fcntl.h>
#include <filesystem>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace sandbox {

namespace fs = std::filesystem;
using asio::awaitable;
using msg::errc;
using msg::fault;
using msg::outcome;
using process::command_result;
using std::chrono::milliseconds;
using strings = std::vector<std::string>;
using process::no_throw;

namespace {

constexpr milliseconds question_timeout{10'000}; ///< info, image inspect, ps, rm
/// A first container may copy the whole image: rootless with user ids of its own, or storage `vfs`.
constexpr milliseconds first_container_timeout{60'000};
constexpr milliseconds failure_kept{5'000}; ///< an image may have been pulled meanwhile
constexpr const char* probe_path = "/guest/container/probe.py";
constexpr const char* more_folders = ":/usr/local/bin:/usr/bin:/usr/sbin:/sbin"; ///< runc and newuidmap may lie in sbin

const std::string nothing_found = "No container runtime found. Install podman or rootless docker and set "
                                  "MCP_BRIDGE_RUNTIME if multiple runtimes are available.";

fault failure(const std::string& what, const outcome<command_result>& result) {
  auto why = !result.ok()                   ? result.error.message
             : result.value.timed_out       ? "no answer in time"
             : !result.value.errors.empty() ? error_in(result.value.errors)
                                            : result.value.status.text();
  return {errc::runtime_missing, what + ": " + why};
}

uint64_t hard_limit(__rlimit_resource resource) {
  rlimit present{};
  ::getrlimit(resource, &present);
  return present.rlim_max == RLIM_INFINITY ? ~uint64_t{0} : present.rlim_max;
}

} // namespace

std::string random_hex(size_t bytes) {
  std::string raw(bytes, '\0'), out;
  if (::getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(raw.size())) // not for less than 256 bytes
    throw std::system_error(errno, std::generic_category(), "getrandom");
  for (auto c : raw)
    for (auto digit : {static_cast<unsigned char>(c) >> 4, c & 15})
      out += "0123456789abcdef"[digit];
  return out;
}

container_host::container_host(asio::any_io_executor executor, container_settings settings, container_places places)
  : executor_(std::move(executor)),
    settings_(std::move(settings)),
    places_(std::move(places)),
    environment_(engine_environment(places_.variable)),
    owner_(owner_of_this_process()),
    looked_(executor_, asio::steady_timer::time_point::max()) {
  environment_.push_back("PATH=" + places_.search_path + more_folders);
}

container_host::~container_host() {
  // Their leashes are cut, but a first process that a guest has got at does not let go.
  if (found_.ok() && !alive_.empty())
    remove_later(found_.value, {alive_.begin(), alive_.end()});
  std::error_code ec;
  fs::remove_all(fs::path{places_.state_folder} / "containers" / owner_, ec);
}

awaitable<outcome<container_engine>> container_host::engine() {
  auto self = shared_from_this();
  while (looking_)
    co_await looked_.async_wait(no_throw);
  auto now = asio::steady_timer::clock_type::now();
  if (looked_once_ && (found_.ok() || now < look_again_))
    co_return found_;
  looking_ = true;
  auto found = co_await look();
  found_ = std::move(found);
  report_ = found_.ok() ? report_isolation(settings_, found_.value)
                        : msg::isolation_report{"none", found_.error.message, {}, {}};
  looked_once_ = true;
  look_again_ = asio::steady_timer::clock_type::now() + failure_kept;
  looking_ = false;
  looked_.cancel();
  co_return found_;
}

/// The one that is configured, or else the first that works; the first error is told.
awaitable<outcome<container_engine>> container_host::look() {
  remove_folders_of_the_dead();
  if (auto problem = check_paths(); problem.code != errc::none)
    co_return problem;
  if (auto problem = check_guest_files(); problem.code != errc::none)
    co_return problem;
  fault problem;
  for (auto tool : {container_tool::podman, container_tool::docker}) {
    auto path = executable_of(tool);
    if (path.empty())
      continue;
    auto tried = co_await try_tool(tool, std::move(path));
    if (tried.ok())
      co_return tried;
    if (problem.code == errc::none)
      problem = std::move(tried.error);
  }
  if (problem.code == errc::none)
    problem = {errc::runtime_missing, settings_.runtime.empty() ? nothing_found
                                                                : "MCP_BRIDGE_RUNTIME names " + settings_.runtime
                                                                    + ", which is no executable file in PATH"};
  co_return problem;
}

/// Whatever is configured and not called docker is taken for podman. Empty: not installed, or not wanted.
std::string container_host::executable_of(container_tool tool) const {
  auto& wanted = settings_.runtime;
  auto path = places_.search_path + more_folders;
  if (wanted.empty())
    return process::find_executable(to_string(tool), path, "/");
  auto wanted_tool = fs::path{wanted}.filename() == "docker" ? container_tool::docker : container_tool::podman;
  return tool == wanted_tool ? process::find_executable(wanted, path, "/") : std::string{};
}

awaitable<outcome<container_engine>> container_host::try_tool(container_tool tool, std::string executable) {
  container_engine engine;
  engine.executable = std::move(executable);
  engine.tool = tool;
  engine.ceiling = {hard_limit(RLIMIT_NOFILE), hard_limit(RLIMIT_NPROC)};
  auto info = co_await run(info_arguments(engine), question_timeout);
  if (!info.ok() || !info.value.succeeded())
    co_return failure(std::string{to_string(tool)} + " does not work here (`" + to_string(tool) + " info`)", info);
  if (auto problem = read_info(info.value.output, engine); problem.code != errc::none)
    co_return problem;
  co_await remove_leftovers(engine);
  auto image = co_await run(image_arguments(engine, settings_.image), question_timeout);
  if (!image.ok() || image.value.timed_out || image.value.status.by_signal)
    co_return failure("the container image " + settings_.image + " can not be looked at", image);
  if (!image.value.succeeded())
    co_return fault{errc::runtime_missing, "the container image " + settings_.image
                                             + " is not on this machine, and none is downloaded behind your back; run `"
                                             + to_string(tool) + " pull " + settings_.image
                                             + "`, or set MCP_BRIDGE_IMAGE to one of `" + to_string(tool) + " images`"};
  if (auto problem = co_await try_runtimes(engine); problem.code != errc::none)
    co_return problem;
  co_return engine;
}

/// crun fails where runc works (cgroups in hybrid mode) and the other way round; the first error is told.
awaitable<fault> container_host::try_runtimes(container_engine& engine) {
  auto problem = co_await try_out(engine);
  if (problem.code == errc::none || engine.tool != container_tool::podman)
    co_return problem;
  for (auto* other : {"runc", "crun"}) {
    if (engine.default_runtime == other
        || process::find_executable(other, places_.search_path + more_folders, "/").empty())
      continue;
    engine.oci_runtime = other;
    auto also = co_await try_out(engine);
    if (also.code == errc::none)
      co_return also;
  }
  co_return problem;
}

/// Starts a container as guests are started, until what it sees does not change how guests are started. Where the
/// engine ignores the limit on processes, a user namespace per container is tried: the kernel counts a user's processes
/// per namespace.
awaitable<fault> container_host::try_out(container_engine& engine) {
  // Until it is known: else the first probe would be counted with all other processes of its user.
  engine.enforced.pids = true;
  auto first = co_await look_inside(engine);
  if (!first.ok())
    co_return first.error;
  engine.enforced = first.value;
  auto better = engine;
  better.own_users = !engine.enforced.pids && engine.rootless && engine.tool == container_tool::podman;
  auto second = co_await look_inside(better);
  if (second.ok())
    engine = better;
  co_return better.own_users ? fault{} : second.error;
}

awaitable<outcome<enforced_limits>> container_host::look_inside(container_engine engine) {
  container_run probe;
  probe.name = new_name();
  probe.alive_max = std::chrono::duration_cast<std::chrono::seconds>(2 * first_container_timeout);
  probe.command = {"python3", "-I", "-S", probe_path};
  auto launch = launch_of(engine, probe);
  auto result = co_await process::run_command(executor_, std::move(launch), first_container_timeout);
  if (result.ok() && result.value.succeeded())
    co_return read_probe(result.value.output, settings_);
  auto removal = remove_arguments(engine, {probe.name});
  [[maybe_unused]] auto removed = co_await run(removal, question_timeout);
  co_return failure(std::string{to_string(engine.tool)} + " can not run a container of the image " + settings_.image,
                    result);
}

awaitable<void> container_host::remove_leftovers(container_engine engine) {
  auto list = co_await run(list_arguments(engine), question_timeout);
  if (!list.ok() || !list.value.succeeded())
    co_return;
  for (auto& name : leftovers_in(list.value.output, owner_is_dead)) {
    auto arguments = remove_arguments(engine, {name});
    [[maybe_unused]] auto removed = co_await run(arguments, question_timeout);
  }
}

awaitable<outcome<command_result>> container_host::run(const strings& argv, milliseconds timeout) const {
  process::launch what;
  what.argv = process::c_texts_of(argv);
  what.environment = process::c_texts_of(environment_);
  what.cwd = "/";
  return process::run_command(executor_, std::move(what), timeout);
}

void container_host::remove_later(const container_engine& engine, const strings& names) const {
  process::descriptor nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  process::launch what;
  what.argv = process::c_texts_of(remove_arguments(engine, names));
  what.environment = process::c_texts_of(environment_);
  what.cwd = "/";
  what.descriptors = {{nothing.get(), 0}, {nothing.get(), 1}, {nothing.get(), 2}};
  // If it fails the next server that uses containers does it.
  [[maybe_unused]] auto started = process::start_detached(what);
}

process::launch container_host::launch_of(const container_engine& engine, container_run run) const {
  run.owner = owner_;
  run.guest_files = places_.guest_files;
  process::launch what;
  what.argv = process::c_texts_of(run_arguments(settings_, engine, run));
  what.environment = process::c_texts_of(environment_);
  what.cwd = "/";
  return what;
}

std::string container_host::new_name() const {
  return "code-executor-" + std::to_string(::getpid()) + "-" + random_hex(8);
}

std::string container_host::new_folder(const std::string& container_name) const {
  auto ours = fs::path{places_.state_folder} / "containers" / owner_;
  auto folder = ours / container_name;
  for (auto& parent : {fs::path{places_.state_folder}, ours.parent_path(), ours})
    if (::mkdir(parent.c_str(), 0700) != 0 && errno != EEXIST)
      throw std::system_error(errno, std::generic_category(), parent.string());
  if (::mkdir(folder.c_str(), 0700) != 0 || ::chmod(folder.c_str(), 0711) != 0) // chmod: whatever the umask
    throw std::system_error(errno, std::generic_category(), folder.string());
  return folder.string();
}

/// A mount is told as SOURCE:TARGET, and the image stands where an option could.
fault container_host::check_paths() const {
  for (auto& [what, folder] : {std::pair{"the guest files lie", places_.guest_files},
                               std::pair{"the state folder lies", places_.state_folder}})
    if (folder.find(':') != std::string::npos)
      return {errc::runtime_missing, std::string{what} + " in " + folder
                                       + ", and no container engine mounts a folder with a colon in its path"};
  if (settings_.image.starts_with('-'))
    return {errc::runtime_missing, "MCP_BRIDGE_IMAGE is '" + settings_.image + "', which is no name of an image"};
  return {};
}

/// The guest is nobody: a file that not every user may read is not there for it.
fault container_host::check_guest_files() const {
  for (auto* file : {"python", "python/main.py", "container", "container/connect.py", "container/seccomp.json"}) {
    auto path = fs::path{places_.guest_files} / file;
    struct stat found {};
    auto wanted = 0004u | (path.has_extension() ? 0u : 0001u);
    if (::stat(path.c_str(), &found) != 0)
      return {errc::runtime_missing, "the guest file " + path.string() + " is missing; the installation is incomplete"};
    if ((found.st_mode & wanted) != wanted)
      return {errc::runtime_missing,
              path.string() + " must be readable for everybody, because guests in containers are nobody: chmod -R o+rX "
                + places_.guest_files};
  }
  return {};
}

void container_host::remove_folders_of_the_dead() const {
  std::error_code ec;
  for (auto& entry : fs::directory_iterator{fs::path{places_.state_folder} / "containers", ec})
    if (owner_is_dead(entry.path().filename().string()))
      fs::remove_all(entry.path(), ec);
}

} // namespace sandbox
