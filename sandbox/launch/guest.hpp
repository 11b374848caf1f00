// One running guest: its process, its control channel, what it prints.
#pragma once

#include "messages/errors.hpp"
#include "messages/guest.hpp"
#include "process/common_budget.hpp"
#include "sandbox/cgroup/memory_watch.hpp"
#include "sandbox/isolation/box.hpp"
#include "sandbox/launch/prespawned_guests.hpp"
#include "sandbox/launch/start_turns.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace sandbox {

/// Who hears at once what a guest prints, beside who gets all of it at the end.
struct output_listener {
  /// What has come on either of its streams. Does not wait. Null: nobody listens.
  std::function<void(std::string_view)> take = {};
  /// Ends when `take` may be called again: nothing is read from the guest before, so that it waits as well. There
  /// where `take` is.
  std::function<asio::awaitable<void>()> until_room = {};
};

/// What a guest tells its owner.
struct guest_events {
  /// A frame, unchecked. Nothing more is read until it is dealt with; if that throws, the owner never will, and the
  /// guest is ended.
  std::function<asio::awaitable<void>(msg::document)> frame;
  /// Last event, exactly once: the process is reaped and every frame it sent has been delivered.
  std::function<void(msg::guest_exit)> ended;
  /// For a box with `egress`: prepared_box::listener_source, right after the start.
  std::function<void(process::descriptor)> listens = {};
  output_listener printed = {};
};

class guest {
public:
  virtual ~guest() = default;
  /// Queues a frame for the guest. False: it does not read, or is gone.
  virtual bool send(msg::spliced_text frame) = 0;
  /// This process holds at most `bytes_max` for what the guest runs: what waits for it, what it has printed, the frame
  /// that it is sending, and `elsewhere`. It is ended when that is more. 0: any.
  virtual void hold_at_most([[maybe_unused]] uint64_t bytes_max, [[maybe_unused]] uint64_t elsewhere) {}
  /// From now on it may run what it was given: its memory is looked at. More than once is the same.
  virtual void watch_memory() {}
  /// Gives all that the guest has printed since the last time. It lives on.
  virtual msg::guest_output collect() = 0;
  /// Kills the guest and gives all that it has printed. Nothing of it is left running when `ended` comes.
  virtual msg::guest_output finish() = 0;
};

/// Threads of work a guest needs from this process.
struct guest_environment {
  asio::any_io_executor executor;
  asio::any_io_executor worker;
  std::shared_ptr<prespawned_guests> prespawned; ///< null: none are to be had
  std::shared_ptr<memory_watch> memory = {};     ///< null: no watch looks at the memory of guests without a cgroup
  std::shared_ptr<process::common_budget> budget = {}; ///< null: what is held for all guests together has no limit
  std::shared_ptr<start_turns> turns = {};             ///< null: every box starts at once
};

/// What a guest lives in: the process of a box, or a container.
class guest_body {
public:
  virtual ~guest_body() = default;
  /// Kills the guest; wait() then ends soon. Does nothing the second time.
  virtual void kill() = 0;
  /// See guest::watch_memory().
  virtual void watch_memory() {}
  /// Called once; ends when nothing of the guest is left running.
  virtual asio::awaitable<msg::guest_exit> wait() = 0;
};

/// One side of what every guest has: the control channel (3 in the guest, or see channel_by), and what it prints (1 and
/// 2).
struct guest_ends {
  process::descriptor channel, output, diagnostics;
};
struct guest_pipes {
  guest_ends ours, theirs;
};
/// Throws std::system_error when the process has no descriptors left.
guest_pipes make_guest_pipes();

/// How a guest gets its end of the channel.
enum class channel_by : uint8_t {
  descriptor, ///< as it is
  /// Over it comes a socket that listens (see prepared_box::sends_channel), and what connects there is the channel.
  socket,
};

/// Drives a guest that has been started, or will be: what is sent meanwhile waits in the channel.
std::shared_ptr<guest> drive_guest(const guest_environment& environment, std::shared_ptr<guest_body> body,
                                   guest_ends ours, channel_by how, guest_events events);

/// Starts a guest in its box, in its turn. The fault says what can not be started; what fails at its turn is told by
/// `ended`.
msg::outcome<std::shared_ptr<guest>> start_guest(const guest_environment& environment, const box& what,
                                                 const isolation_tools& tools, guest_events events);

} // namespace sandbox
