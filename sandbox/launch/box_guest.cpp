// A guest in a box: its processes, its cgroup where there is one, the watch of its memory.
#include "process/child.hpp"
#include "process/no_throw.hpp"
#include "process/shortage.hpp"
#include "sandbox/isolation/box_end.hpp"
#include "sandbox/isolation/temp_files.hpp"
#include "sandbox/launch/box_start.hpp"
#include "sandbox/launch/guest.hpp"

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <csignal>
#include <exception>
#include <fcntl.h>
#include <system_error>
#include <utility>

namespace sandbox {

namespace {

using asio::awaitable;
using process::no_throw;

/// Bubblewrap's own two processes are in the cgroup as well.
constexpr uint32_t box_processes = 2;

/// What a box is started with, kept until its turn has come.
struct box_order {
  prepared_box box;
  guest_ends theirs;
  process::descriptor nothing; ///< its stdin
};

/// The process of bubblewrap, which ends with its guest.
class box_process final : public guest_body, public std::enable_shared_from_this<box_process> {
public:
  box_process(const guest_environment& environment, const box& what, box_order order)
    : environment_(environment),
      limits_(cgroup_limits_of(what, box_processes)),
      order_(std::make_unique<box_order>(std::move(order))),
      memory_bytes_max_(what.memory_bytes),
      memory_(environment.memory),
      end_{environment.executor, what.holds, std::move(order_->box.leash)},
      turn_(environment.executor, asio::steady_timer::time_point::max()) {}

  /// In its turn, which may come when it is not wanted any more.
  void start() {
    auto order = std::exchange(order_, nullptr);
    if (!order)
      return;
    try {
      auto started = start_box(environment_, limits_, order->box.launch);
      failure_ = std::move(started.error);
      child_ = std::move(started.value.child);
      group_ = std::move(started.value.group);
      if (child_)
        end_.admit(child_->pid());
    } catch (const std::system_error& e) {
      failure_ = {msg::errc::overloaded, "cannot start a sandbox: " + process::error_text(e)};
    } catch (const std::exception& e) {
      failure_ = {msg::errc::overloaded, std::string{"cannot start a sandbox: "} + e.what()};
    }
    turn_.cancel();
    if (watch_wanted_)
      watch_memory();
  }

  /// Everything in a PID namespace dies with bubblewrap; what could have left is looked for in wait(), off the answer's
  /// way.
  void kill() override {
    order_ = nullptr;
    turn_.cancel();
    if (child_)
      child_->kill(SIGKILL);
  }

  void watch_memory() override {
    watch_wanted_ = true;
    if (!memory_ || !child_)
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
    if (order_)
      co_await turn_.async_wait(no_throw);
    if (!child_)
      co_return end_without_start();
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
  msg::guest_exit end_without_start() {
    msg::guest_exit how;
    how.problem = failure_.message;
    how.cause = failure_.code;
    how.by_signal = how.problem.empty(); // killed before its turn
    how.code = how.by_signal ? SIGKILL : 0;
    return how;
  }

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

  guest_environment environment_;
  cgroup_limits limits_;
  std::unique_ptr<box_order> order_; ///< null: its turn has come, or will not be needed
  msg::fault failure_;               ///< why it did not start then
  std::unique_ptr<process::child> child_;
  std::unique_ptr<guest_cgroup> group_; ///< null: none
  size_t memory_bytes_max_;
  std::shared_ptr<memory_watch> memory_; ///< null: there is no watch, or it looks already
  memory_watch::ticket ticket_, files_ticket_;
  bool watch_wanted_ = false;
  bool too_many_files_ = false;
  box_end end_;
  asio::steady_timer turn_; ///< cancelled when there is no order any more
  bool out_of_memory_ = false;
};

} // namespace

std::shared_ptr<guest_body> start_box_body(const guest_environment& environment, const box& what, prepared_box prepared,
                                           guest_ends theirs) {
  box_order order{std::move(prepared), std::move(theirs),
                  process::descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)}};
  auto& launch = order.box.launch;
  launch.descriptors.insert(launch.descriptors.end(), {{order.nothing.get(), 0},
                                                       {order.theirs.output.get(), 1},
                                                       {order.theirs.diagnostics.get(), 2},
                                                       {order.theirs.channel.get(), 3}});
  auto body = std::make_shared<box_process>(environment, what, std::move(order));
  if (environment.turns)
    environment.turns->enter([body] { body->start(); });
  else
    body->start();
  return body;
}

msg::outcome<std::shared_ptr<guest>> start_guest(const guest_environment& environment, const box& what,
                                                 const isolation_tools& tools, guest_events events) {
  try {
    auto prepared = prepare(what, tools);
    if (!prepared.ok())
      return std::move(prepared.error);
    auto [ours, theirs] = make_guest_pipes();
    auto how = prepared.value.sends_channel ? channel_by::socket : channel_by::descriptor;
    if (auto& source = prepared.value.listener_source; source && events.listens)
      events.listens(std::move(source));
    auto body = start_box_body(environment, what, std::move(prepared.value), std::move(theirs));
    return drive_guest(environment, std::move(body), std::move(ours), how, std::move(events));
  } catch (const std::system_error& e) {
    return msg::fault{msg::errc::overloaded, "cannot open a channel to a sandbox: " + process::error_text(e)};
  }
}

} // namespace sandbox
