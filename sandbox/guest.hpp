// One running guest: its process, its control channel, what it prints.
#pragma once

#include "messages/errors.hpp"
#include "messages/guest.hpp"
#include "sandbox/box.hpp"
#include "sandbox/guest_seats.hpp"
#include "sandbox/memory_watch.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <functional>
#include <memory>

namespace sandbox {

/// What a guest tells its owner.
struct guest_events {
  /// A frame, unchecked. Nothing more is read until it is dealt with.
  std::function<asio::awaitable<void>(msg::document)> frame;
  /// Last event, exactly once: the process is reaped and every frame it sent has been delivered.
  std::function<void(msg::guest_exit)> ended;
};

class guest {
public:
  virtual ~guest() = default;
  /// Queues a frame for the guest. False: it does not read, or is gone.
  virtual bool send(msg::spliced_text frame) = 0;
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
  std::shared_ptr<guest_seats> seats;        ///< null: none are to be had
  std::shared_ptr<memory_watch> memory = {}; ///< null: nobody looks at the memory of guests without a cgroup
};

/// Starts a guest in its box. The fault says what could not be started.
msg::outcome<std::shared_ptr<guest>> start_guest(const guest_environment& environment, const box& what, const isolation_tools& tools,
                                                 guest_events events);

} // namespace sandbox
