// A real guest that runs one program, and what came of it. For checks: no execution serves its requests.
#pragma once

#include "messages/guest.hpp"
#include "proxy/guest_frames.hpp"
#include "sandbox/launch/guest.hpp"

#include <asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace cli {

struct self_test_result {
  std::string problem; ///< it could not be started, or did not end in time; empty: see the rest
  bool done = false;   ///< the program came to its end
  proxy::guest_done end;
  msg::guest_exit exit;    ///< unless done
  std::string diagnostics; ///< what it printed on stderr
  std::chrono::milliseconds ready_after{0}, took{0};
};

using guest_starter = std::function<msg::outcome<std::shared_ptr<sandbox::guest>>(sandbox::guest_events)>;

/// Runs `io` until the guest has ended.
self_test_result try_guest(asio::io_context& io, const guest_starter& start, const std::string& code,
                           std::chrono::milliseconds timeout);

} // namespace cli
