// A guest in a box: its processes, its cgroup where there is one, the watch of its memory.
#include "process/child.hpp"
#include "sandbox/isolation/box_end.hpp"
#include "sandbox/isolation/temp_files.hpp"
#include "sandbox/launch/guest.hpp"

#include <asio/awaitable.hpp>

#include <csignal>
#include <fcntl.h>
#include <system_error>

namespace sandbox {

namespace {

using asio::awaitable;
/// Bubblewrap's own two processes are in the cgroup as well.
constexpr uint32_t box_processes = 2;

/// /tmp and /dev/shm are memory too: see cgroup.hpp.
cgroup_limits group_limits(const box& what) {
  return {what.memory_bytes + 2 * what.temp_bytes, static_cast<uint32_t>(what.processes) + box_processes};
}

/// The process of bubblewrap, which ends with its guest.
class box_process final : public guest_body, public std::enable_shared_from_this<box_process> {
public:
  box_process(std::unique_ptr<process::child> child, std::unique_ptr<guest_cgroup> group, size_t memory_bytes_max,
              std::shared_ptr<memory_watch> memory, box_end end)
    : child_(std::move(child)),
      group_(std::move(group)),
      memory_bytes_max_(memory_bytes_max),
      memory_(std::move(memory)),
      end_(std::move(end)) {}

  /// Everything in a PID namespace dies with bubblewrap; what could have left is looked for in wait(), off the answer's
  /// way.
  void kill() override {
    end_.notice(child_->pid());
    child_->kill(SIGKILL);
  }

  void has_spoken() override { end_.notice(child_->pid()); }

  void watch_memory() override {
    if (!memory_ || child_->pid() <= 0)
      return;
    auto reached = [weak = weak_from_this()] {
      if (auto self = weak.lock())
        self->end_for_memory();
    };
    // Also the files of its temp space: the kernel's own memory for them.
    bool counted = group_ && group_->limits_memory();
    ticket_ = counted ? memory_->watch(group_->memory_question(), reached)
                      : memory_->watch_tree(child_->pid(), memory_bytes_max_, reached);
    if (!counted)
      watch_files();
    memory_ = nullptr; // once
  }

  awaitable<msg::guest_exit> wait() override {
    auto self = shared_from_this();
    auto status = co_await process::reap_when_ended(*child_);
    ticket_ = {};
    files_ticket_ = {};
    msg::guest_exit how;
    if (too_many_files_)
      end_of_too_many_files(how);
    how.by_signal = status.by_signal;
    how.code = status.code;
    how.memory_mib_max = static_cast<uint32_t>(memory_bytes_max_ >> 20);
    how.out_of_memory = out_of_memory_ || (group_ && group_->out_of_memory());
    if (group_)
      group_->kill(); // what has left the process group
    co_await end_.release();
    co_return how;
  }

private:
  void watch_files() {
    auto question = too_many_temp_files(child_->pid(), {"/tmp", "/dev/shm"}, guest_temp_files_max);
    files_ticket_ = memory_->watch(std::move(question), [weak = weak_from_this()] {
      auto self = weak.lock();
      if (!self)
        return;
      self->too_many_files_ = true;
      self->kill();
    });
  }

  /// Where the kernel has killed one process of several, the rest is of no use.
  void end_for_memory() {
    out_of_memory_ = true;
    kill();
  }

  std::unique_ptr<process::child> child_;
  std::unique_ptr<guest_cgroup> group_; ///< null: none
  size_t memory_bytes_max_;
  std::shared_ptr<memory_watch> memory_; ///< null: there is no watch, or it looks already
  memory_watch::ticket ticket_, files_ticket_;
  bool too_many_files_ = false;
  box_end end_;
  bool out_of_memory_ = false;
};

msg::outcome<std::shared_ptr<guest_body>> start_box(const guest_environment& environment, const box& what,
                                                    const process::launch& launch) {
  using started = msg::outcome<std::unique_ptr<process::child>>;
  auto take = [&] {
    return environment.prespawned ? environment.prespawned->take(group_limits(what)) : msg::outcome<prespawned_guest>{};
  };
  auto begin = [&](msg::outcome<prespawned_guest>& at) {
    if (!at.ok())
      return started{at.error};
    return at.value.waiting ? at.value.waiting->exec(launch) : process::start(environment.executor, launch);
  };
  auto place = take();
  auto child = begin(place);
  if (child.error.code == msg::errc::server_died) { // the prespawned process, which was killed while it waited
    place = take();
    child = begin(place);
  }
  if (!child.ok())
    return msg::fault{msg::errc::runtime_missing, "the sandbox " + child.error.message};
  std::shared_ptr<guest_body> body =
    std::make_shared<box_process>(std::move(child.value), std::move(place.value.group), what.memory_bytes,
                                  environment.memory, box_end{environment.executor, what.holds});
  return body;
}

} // namespace

msg::outcome<std::shared_ptr<guest>> start_guest(const guest_environment& environment, const box& what,
                                                 const isolation_tools& tools, guest_events events) {
  try {
    auto prepared = prepare(what, tools);
    if (!prepared.ok())
      return std::move(prepared.error);
    auto [ours, theirs] = make_guest_pipes();
    process::descriptor nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    auto& launch = prepared.value.launch;
    launch.descriptors.insert(
      launch.descriptors.end(),
      {{nothing.get(), 0}, {theirs.output.get(), 1}, {theirs.diagnostics.get(), 2}, {theirs.channel.get(), 3}});
    auto body = start_box(environment, what, launch);
    if (!body.ok())
      return std::move(body.error);
    if (prepared.value.listener_source && events.listens)
      events.listens(std::move(prepared.value.listener_source));
    auto how = prepared.value.sends_channel ? channel_by::socket : channel_by::descriptor;
    return drive_guest(environment, std::move(body.value), std::move(ours), how, std::move(events));
  } catch (const std::system_error& e) {
    return msg::fault{msg::errc::overloaded, std::string{"cannot open a channel to a sandbox: "} + e.what()};
  }
}

} // namespace sandbox
