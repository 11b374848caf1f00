// How long the session of a client waits for others: only so that each wait is finite.
#pragma once

#include "messages/limits.hpp"

#include <chrono>

namespace client {

/// Local actors answer at once, or bounce.
inline constexpr std::chrono::seconds answer_timeout{10};
inline constexpr std::chrono::milliseconds health_patience =
  msg::limits::health_answer_max + std::chrono::milliseconds{1'000};
/// A run reports by its own deadline; a check of its types, the queues of the runs and of its session, and slack come
/// on top. Only so that the wait is finite.
inline constexpr std::chrono::milliseconds run_patience =
  2 * msg::limits::run_timeout_max + 2 * msg::limits::run_queue_wait_most + std::chrono::milliseconds{30'000};
/// The same: the worker of the outputs may have much to write before.
inline constexpr std::chrono::seconds resource_list_timeout{10};
inline constexpr std::chrono::seconds resource_read_timeout{60};

} // namespace client
