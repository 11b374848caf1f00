#include "sandbox/launch/forked_guest.hpp"

#include "process/descriptor_message.hpp"
#include "process/no_throw.hpp"
#include "process/shortage.hpp"
#include "sandbox/isolation/temp_files.hpp"

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

#include <array>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <utility>

extern "C" { // glibc 2.36 forgot it in this header
#include <sys/pidfd.h>
}

namespace sandbox {

namespace {

using asio::awaitable;
using process::no_throw;

/// Process 1 of its box.
constexpr uint32_t forked_processes = 1;
/// From an order until it is told that it was carried out. A template answers within 3 ms; for one that is not given
/// the processor for so long, the guest is started without it.
constexpr std::chrono::seconds patience{2}, patience_if_unwanted{1};

/// As this process knows it; 0: it is gone.
pid_t number_of(const process::descriptor& pidfd) {
  auto path = "/proc/self/fdinfo/" + std::to_string(pidfd.get());
  process::descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 512> bytes{};
  constexpr std::string_view label = "\nPid:";
  auto size = file ? ::read(file.get(), bytes.data(), bytes.size() - 1) : 0;
  auto found = std::string_view{bytes.data(), size > 0 ? static_cast<size_t>(size) : 0}.find(label);
  if (found == std::string_view::npos)
    return 0;
  return static_cast<pid_t>(std::max(0L, std::strtol(bytes.data() + found + label.size(), nullptr, 10)));
}

/// Process 1 of the guest's box, which is no child of this process.
class forked_process final : public guest_body, public std::enable_shared_from_this<forked_process> {
public:
  forked_process(const guest_environment& environment, std::shared_ptr<template_process> from, uint32_t cpu_seconds,
                 process::descriptor lifeline, std::unique_ptr<guest_cgroup> group, guest_ends theirs)
    : environment_(environment),
      from_(std::move(from)),
      cpu_seconds_(cpu_seconds),
      lifeline_(environment.executor, lifeline.release()),
      group_(std::move(group)),
      theirs_(std::move(theirs)),
      memory_bytes_max_(from_->what.memory_bytes),
      memory_(environment.memory),
      alarm_(environment.executor) {}

  /// The kernel kills all of its namespace.
  void kill() override {
    killed_ = true;
    if (instead_)
      instead_->kill();
    else if (first_process_)
      ::pidfd_send_signal(first_process_.get(), SIGKILL, nullptr, 0);
    else
      expect_within(patience_if_unwanted);
  }

  void watch_memory() override {
    watch_wanted_ = true;
    if (instead_)
      instead_->watch_memory();
    if (!memory_ || !first_process_)
      return;
    auto memory = std::exchange(memory_, nullptr); // once
    auto number = number_of(first_process_);
    auto reached = [weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        self->out_of_memory_ = true;
        self->kill();
      }
    };
    if (group_ && group_->limits_memory()) {
      ticket_ = memory->watch(group_->memory_question(), reached);
    } else if (number > 0) {
      ticket_ = memory->watch_tree(number, memory_bytes_max_, reached);
      files_ticket_ = watch_files(*memory, number);
    }
  }

  awaitable<msg::guest_exit> wait() override {
    auto self = shared_from_this();
    if (!killed_)
      expect_within(patience);
    auto first = co_await process::next_message(lifeline_, sizeof(int));
    alarm_.cancel();
    bool was_late = first.error == ECANCELED;
    if (was_late)
      first = process::receive_message(lifeline_.native_handle(), sizeof(int));
    if (first.descriptors.size() != 1 && refuse_late_box())
      co_return end_of_late_box();
    if (first.descriptors.size() != 1)
      co_return co_await wait_without_template(was_late);
    theirs_ = {}; // which end with the guest
    first_process_ = std::move(first.descriptors.front());
    if (killed_)
      kill();
    else if (watch_wanted_)
      watch_memory();
    auto last = co_await process::next_message(lifeline_, sizeof(int));
    co_await end_of_all();
    ticket_ = {};
    files_ticket_ = {};
    if (group_)
      group_->kill();
    co_return exit_of(last);
  }

private:
  /// From now on a box can not tell that it is made, and ends itself before it looks for its start: what is started in
  /// its place has the same channel. True: it has told in this very moment, and is ended.
  bool refuse_late_box() {
    ::shutdown(lifeline_.native_handle(), SHUT_RD);
    auto told = process::receive_message(lifeline_.native_handle(), sizeof(int));
    for (auto& late : told.descriptors)
      ::pidfd_send_signal(late.get(), SIGKILL, nullptr, 0);
    return !told.descriptors.empty();
  }

  msg::guest_exit end_of_late_box() const {
    return end_without_start(
      {msg::errc::overloaded, "the sandbox was made too late: this machine is busy; run the program again"});
  }

  /// Every wait ends.
  void expect_within(std::chrono::seconds time) {
    alarm_.expires_after(time);
    alarm_.async_wait([weak = weak_from_this()](asio::error_code ec) {
      if (auto self = weak.lock(); self && !ec && !self->first_process_)
        self->lifeline_.cancel();
    });
  }

  /// No program has run: the guest is started as if there were no template.
  awaitable<msg::guest_exit> wait_without_template(bool was_late) {
    auto from = std::exchange(from_, nullptr);
    if (was_late && !killed_ && from->when_deaf)
      from->when_deaf();
    if (auto failed = killed_ ? msg::fault{} : start_instead(*from); !instead_)
      co_return end_without_start(std::move(failed));
    from = nullptr;
    if (watch_wanted_)
      instead_->watch_memory();
    co_return co_await instead_->wait();
  }

  msg::fault start_instead(const template_process& from) {
    try {
      auto what = from.what;
      what.cpu_seconds = cpu_seconds_;
      auto prepared = prepare(what, from.tools);
      if (!prepared.ok())
        return std::move(prepared.error);
      group_ = nullptr;
      instead_ = start_box_body(environment_, what, std::move(prepared.value), std::exchange(theirs_, {}));
      return {};
    } catch (const std::system_error& e) {
      return {msg::errc::overloaded, "cannot start a sandbox: " + process::error_text(e)};
    }
  }

  msg::guest_exit end_without_start(msg::fault why) const {
    msg::guest_exit how;
    how.by_signal = killed_;
    how.code = killed_ ? SIGKILL : 0;
    how.problem = std::move(why.message);
    how.cause = why.code;
    return how;
  }

  /// Process 1 ends when the kernel has ended all others of its namespace.
  awaitable<void> end_of_all() {
    asio::posix::stream_descriptor end{lifeline_.get_executor(), ::dup(first_process_.get())};
    ::pidfd_send_signal(first_process_.get(), SIGKILL, nullptr, 0);
    for (pollfd dead{first_process_.get(), POLLIN, 0}; ::poll(&dead, 1, 0) == 0;) {
      auto [ec] = co_await end.async_wait(asio::posix::descriptor_base::wait_read, no_throw);
      if (ec)
        break;
    }
  }

  msg::guest_exit exit_of(const process::received_message& last) const {
    msg::guest_exit how;
    int status = SIGKILL; // of whom process 1 could tell nothing: it was killed as well
    if (last.text.size() == sizeof status)
      std::memcpy(&status, last.text.data(), sizeof status);
    how.by_signal = WIFSIGNALED(status);
    how.code = how.by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
    if (too_many_files_)
      end_of_too_many_files(how);
    how.memory_mib_max = static_cast<uint32_t>(memory_bytes_max_ >> 20);
    how.out_of_memory = out_of_memory_ || (group_ && group_->out_of_memory());
    return how;
  }

  memory_watch::ticket watch_files(memory_watch& memory, pid_t number) {
    auto question = too_many_temp_files(number, {"/tmp", "/dev/shm"}, guest_temp_files_max);
    return memory.watch(std::move(question), [weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        self->too_many_files_ = true;
        self->kill();
      }
    });
  }

  guest_environment environment_;
  std::shared_ptr<template_process> from_; ///< null: not needed any more
  uint32_t cpu_seconds_;
  asio::posix::stream_descriptor lifeline_;
  std::unique_ptr<guest_cgroup> group_; ///< null: none
  guest_ends theirs_;                   ///< until it is made
  std::shared_ptr<guest_body> instead_; ///< null: it is forked
  size_t memory_bytes_max_;
  std::shared_ptr<memory_watch> memory_; ///< null: there is no watch, or it looks already
  memory_watch::ticket ticket_, files_ticket_;
  asio::steady_timer alarm_;
  process::descriptor first_process_;
  bool killed_ = false, watch_wanted_ = false, out_of_memory_ = false, too_many_files_ = false;
};

/// Takes one byte, and what a guest needs before there is a program for it. The fault: it can not be limited now.
msg::outcome<ordered_box> order_box(const guest_environment& environment, template_process& from,
                                    process::descriptor far_end, process::descriptor lifeline) {
  ordered_box made{std::move(lifeline), nullptr};
  if (environment.prespawned) {
    auto group = environment.prespawned->make_group(cgroup_limits_of(from.what, forked_processes));
    if (!group.ok())
      return msg::fault{group.error.code, "the sandbox " + group.error.message};
    made.group = std::move(group.value);
  }
  std::vector<int> descriptors{far_end.get()};
  if (made.group)
    for (auto procs : made.group->joins())
      descriptors.push_back(procs);
  // One that is not taken is an order that is not carried out.
  process::send_message(from.orders.native_handle(), "o", descriptors);
  if (made.group)
    made.group->joined();
  return made;
}

/// 0, or errno. Over either end of the lifeline: process 1 reads it when the box is made.
int send_start(const process::descriptor& lifeline, uint32_t cpu_seconds, const guest_ends& theirs) {
  guest_start start{cpu_seconds};
  std::array<int, start_descriptors> descriptors{};
  descriptors[start_output] = theirs.output.get();
  descriptors[start_diagnostics] = theirs.diagnostics.get();
  descriptors[start_channel] = theirs.channel.get();
  return process::send_message(lifeline.get(), {reinterpret_cast<const char*>(&start), sizeof start}, descriptors);
}

/// One that was ordered ahead, or one that is ordered now: its start is sent first, because a template that forks waits
/// for process 1.
msg::outcome<ordered_box> begin_in_box(const guest_environment& environment, template_process& from,
                                       uint32_t cpu_seconds, const guest_ends& theirs) {
  auto ahead = std::exchange(from.ahead, {});
  if (ahead.lifeline && send_start(ahead.lifeline, cpu_seconds, theirs) == 0)
    return ahead;
  auto [lifeline, far_end] = process::make_message_sockets();
  send_start(lifeline, cpu_seconds, theirs);
  return order_box(environment, from, std::move(far_end), std::move(lifeline));
}

} // namespace

void order_ahead(const guest_environment& environment, template_process& from) {
  if (!from.orders_ahead || from.ahead.lifeline)
    return;
  try {
    auto [lifeline, far_end] = process::make_message_sockets();
    auto made = order_box(environment, from, std::move(far_end), std::move(lifeline));
    if (made.ok()) // else the next guest tries, and tells
      from.ahead = std::move(made.value);
  } catch (const std::system_error&) { // no descriptors
  }
}

msg::outcome<std::shared_ptr<guest>> fork_guest(const guest_environment& environment,
                                                std::shared_ptr<template_process> from, uint32_t cpu_seconds,
                                                guest_events events) {
  try {
    auto how = from->what.channel_port != 0 ? channel_by::socket : channel_by::descriptor;
    auto [ours, theirs] = make_guest_pipes();
    auto begun = begin_in_box(environment, *from, cpu_seconds, theirs);
    if (!begun.ok())
      return std::move(begun.error);
    auto& ordered = begun.value;
    asio::post(environment.executor, [environment, from] { order_ahead(environment, *from); });
    auto body = std::make_shared<forked_process>(environment, std::move(from), cpu_seconds, std::move(ordered.lifeline),
                                                 std::move(ordered.group), std::move(theirs));
    return drive_guest(environment, std::move(body), std::move(ours), how, std::move(events));
  } catch (const std::system_error& e) {
    return msg::fault{msg::errc::overloaded, "cannot open a channel to a sandbox: " + process::error_text(e)};
  }
}

} // namespace sandbox
