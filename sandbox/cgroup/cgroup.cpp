#include "sandbox/cgroup/cgroup.hpp"

#include "process/shortage.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sandbox {

namespace {

/// Removing what is still in use is tried again after 1 ms, then after twice as long each time: a second in all. What
/// is left then is tried once more with every later guest, and at the end.
constexpr unsigned tries_max = 10;
constexpr std::chrono::milliseconds first_retry{1};
/// At the end the last guests have just been killed: waits for so long in all.
constexpr int end_polls_max = 40;
constexpr int end_poll_ms = 5;
/// Without `cgroup.kill` a process may be born while the others are killed. pids.max bounds how many there are.
constexpr int kill_rounds_max = 100;

/// A limit counts as used up when less than this part of it was left: charges are refused whole.
constexpr uint64_t used_up_fraction = 16;

/// Buffers of sockets, which v1 does not count as memory: of TCP and UDP together, also over loopback. What is over it
/// waits, or is dropped.
constexpr uint64_t socket_bytes_max = 64u << 20;

/// The number behind `key` in a file of lines "key number"; 0: not there.
uint64_t counter(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ') {
      uint64_t n = 0;
      std::from_chars(line.data() + key.size() + 1, line.data() + line.size(), n);
      return n;
    }
  }
  return 0;
}

} // namespace

// ---- one guest -------------------------------------------------------------------------------

guest_cgroup::guest_cgroup(std::shared_ptr<cgroups> owner, std::string memory, std::string pids, std::string cpu)
  : owner_(std::move(owner)),
    memory_(std::move(memory)),
    pids_(std::move(pids)),
    cpu_(std::move(cpu)) {}

guest_cgroup::~guest_cgroup() {
  procs_.clear();
  for (auto& folder : folders())
    owner_->retire(folder);
}

std::vector<std::string> guest_cgroup::folders() const {
  std::vector<std::string> out;
  for (auto* folder : {&memory_, &pids_, &cpu_})
    if (!folder->empty() && std::find(out.begin(), out.end(), *folder) == out.end())
      out.push_back(*folder);
  return out;
}

std::vector<int> guest_cgroup::joins() const {
  std::vector<int> out;
  out.reserve(procs_.size());
  for (auto& d : procs_)
    out.push_back(d.get());
  return out;
}

/// In v1 the counter does not tell whose limit it was, ours or one around it; failcnt stays 0 on recent kernels. So
/// ours must have been nearly used up as well.
std::function<bool()> guest_cgroup::memory_question() const {
  auto is_v2 = owner_->place_.memory.version == cgroup_version::v2;
  return [files = owner_->files_, folder = memory_, is_v2] {
    if (folder.empty())
      return false;
    if (is_v2)
      return counter(files->read(folder + "/memory.events"), "oom_kill") > 0;
    auto number = [&](const char* file) { return counter("is " + files->read(folder + file), "is"); };
    auto limit = number("/memory.limit_in_bytes");
    return counter(files->read(folder + "/memory.oom_control"), "oom_kill") > 0
           && number("/memory.max_usage_in_bytes") >= limit - limit / used_up_fraction;
  };
}

uint64_t guest_cgroup::processes_refused() const {
  return pids_.empty() ? 0 : counter(owner_->files_->read(pids_ + "/pids.events"), "max");
}

void guest_cgroup::kill() {
  auto& files = *owner_->files_;
  auto& folder = !pids_.empty() ? pids_ : !memory_.empty() ? memory_ : cpu_;
  if (files.write(folder + "/cgroup.kill", "1") == 0)
    return;
  for (int round = 0; round < kill_rounds_max; ++round) {
    auto processes = files.read(folder + "/cgroup.procs");
    if (processes.empty())
      return;
    for (auto* p = processes.c_str(); *p != '\0';) {
      char* end = nullptr;
      auto pid = static_cast<pid_t>(std::strtol(p, &end, 10));
      if (pid <= 0 || ::kill(pid, SIGKILL) != 0 || end == p)
        break;
      p = *end == '\n' ? end + 1 : end;
    }
  }
}

bool guest_cgroup::limit(const cgroup_limits& limits) {
  owner_->lack_.clear();
  if (auto error = limits_memory() ? owner_->limit_memory(memory_, limits.memory_bytes) : 0; error != 0) {
    owner_->fail(owner_->place_.memory, "can not set the memory limit of " + memory_, error);
    return false;
  }
  auto processes = std::to_string(limits.processes);
  if (auto error = limits_processes() ? owner_->files_->write(pids_ + "/pids.max", processes) : 0; error != 0) {
    owner_->fail(owner_->place_.pids, "can not set the limit on processes of " + pids_, error);
    return false;
  }
  return true;
}

// ---- all of them -----------------------------------------------------------------------------

cgroups::cgroups(const asio::any_io_executor& executor, std::shared_ptr<cgroup_files> files,
                 const cgroup_membership& we, pid_t own_pid)
  : files_(std::move(files)),
    own_pid_(own_pid),
    place_(find_cgroup_place(*files_, we, own_pid)),
    timer_(executor) {}

cgroups::~cgroups() {
  for (int i = 0; i < end_polls_max; ++i) {
    remove_retired();
    if (retired_.empty())
      break;
    ::poll(nullptr, 0, end_poll_ms);
  }
  leave_cgroup_place(*files_, place_, own_pid_);
}

/// What lacks for a moment costs one guest. Anything else is taken for a place that is lost, and is told once: nothing
/// is tried there any more.
void cgroups::fail(cgroup_controller& controller, std::string what, int error) {
  what += ": " + process::error_text(error);
  if (process::is_of_the_moment(error)) {
    lack_ = std::move(what);
    return;
  }
  controller.version = cgroup_version::none; // the folder stays known, so that it is removed
  controller.problem = std::move(what);
  spdlog::warn("programs are kept in without this cgroup from now on: {}; restart the server once that is mended",
               controller.problem);
}

std::string cgroups::make_in(cgroup_controller& controller, const std::string& name) {
  if (controller.version == cgroup_version::none)
    return {};
  auto folder = controller.folder + name;
  auto error = files_->make_folder(folder);
  if (error == ENOENT) { // somebody has removed ours, as empty as it was
    error = make_place_again(*files_, place_, controller.folder);
    if (error == 0)
      error = files_->make_folder(folder);
  }
  if (error == 0 || error == EEXIST) // EEXIST: another controller is of the same hierarchy
    return folder;
  fail(controller, "can not make a cgroup in " + controller.folder + " any more", error);
  return {};
}

/// 0, or errno.
int cgroups::limit_memory(const std::string& folder, uint64_t bytes) {
  auto limit = std::to_string(bytes);
  if (place_.memory.version == cgroup_version::v1) {
    auto error = files_->write(folder + "/memory.limit_in_bytes", limit);
    files_->write(folder + "/memory.memsw.limit_in_bytes", limit); // fails where swap is not accounted for
    files_->write(folder + "/memory.kmem.tcp.limit_in_bytes", std::to_string(socket_bytes_max));
    return error;
  }
  auto error = files_->write(folder + "/memory.max", limit);
  files_->write(folder + "/memory.swap.max", "0");
  files_->write(folder + "/memory.oom.group", "1"); // half of a guest is of no use
  return error;
}

/// A process joins by itself and has one thread. In v1 that can move alone, by `tasks`: for `cgroup.procs` the kernel
/// waits for all processors (15 ms, measured), because it holds up every fork of the machine meanwhile.
process::descriptor cgroups::open_procs(cgroup_controller& controller, const std::string& folder) {
  process::descriptor procs;
  if (controller.version == cgroup_version::v1)
    procs = files_->open(folder + "/tasks");
  if (!procs)
    procs = files_->open(folder + "/cgroup.procs");
  if (!procs)
    fail(controller, "can not put processes into " + folder, errno);
  return procs;
}

std::unique_ptr<guest_cgroup> cgroups::make() {
  lack_.clear();
  auto name = "/guest-" + std::to_string(++last_number_);
  auto made = std::make_unique<guest_cgroup>(shared_from_this(), make_in(place_.memory, name),
                                             make_in(place_.pids, name), make_in(place_.cpu, name));
  for (auto& folder : made->folders())
    made->procs_.push_back(open_procs(folder == made->memory_ ? place_.memory
                                      : folder == made->pids_ ? place_.pids
                                                              : place_.cpu,
                                      folder));
  bool usable = lack_.empty() && !made->procs_.empty()
                && std::all_of(made->procs_.begin(), made->procs_.end(), [](auto& p) { return bool{p}; });
  return usable ? std::move(made) : nullptr;
}

void cgroups::retire(std::string folder) {
  retired_.push_back(std::move(folder));
  remove_retired();
  if (!retired_.empty()) {
    tries_ = 0;
    remove_later();
  }
}

void cgroups::remove_retired() {
  std::erase_if(retired_, [this](auto& folder) {
    auto error = files_->remove_folder(folder);
    return error == 0 || error == ENOENT;
  });
}

void cgroups::remove_later() {
  if (++tries_ > tries_max)
    return;
  timer_.expires_after(first_retry * (1u << tries_) / 2); // also ends an earlier wait
  timer_.async_wait([weak = weak_from_this()](asio::error_code ec) {
    auto self = weak.lock();
    if (ec || !self)
      return;
    self->remove_retired();
    if (!self->retired_.empty())
      self->remove_later();
  });
}

std::shared_ptr<cgroups> find_cgroups(const asio::any_io_executor& executor) {
  auto files = std::make_shared<cgroup_files>();
  struct stat pids {};
  cgroup_membership we{files->read("/proc/self/cgroup"), files->read("/proc/self/mountinfo"),
                       ::stat("/proc/self/ns/pid", &pids) == 0 ? pids.st_ino : 0};
  return std::make_shared<cgroups>(executor, files, we, ::getpid());
}

} // namespace sandbox
