// A guest whose box has to be worked out first, on another thread. What it is told meanwhile is kept for it.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/isolation/box.hpp"
#include "sandbox/launch/guest.hpp"

#include <asio/any_io_executor.hpp>

#include <functional>
#include <memory>

namespace bridge {

struct late_guest_work {
  asio::any_io_executor executor; ///< of whoever is told, and starts it
  asio::any_io_executor worker;
  /// On `worker`; owns what it touches.
  std::function<msg::outcome<sandbox::box>()> work_out;
  /// Back on `executor`, unless nobody wants the guest any more.
  std::function<msg::outcome<std::shared_ptr<sandbox::guest>>(sandbox::box, sandbox::guest_events)> start;
};

/// Why there is none in the end is told by `events.ended`.
std::shared_ptr<sandbox::guest> make_late_guest(late_guest_work work, sandbox::guest_events events);

} // namespace bridge
