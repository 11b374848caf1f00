// How long the session of a client waits for others: only so that each wait is finite.
#pragma once

#include "messages/limits.hpp"

#include <chrono>

namespace client {

/// Local actors answer at once, or bounce.
inline constexpr std::chrono::seconds answer_timeout{10};
inline constexpr std::chrono::milliseconds health_patience =
  msg::limits::health_answer_max + std::chrono::milliseconds{1'000};
/// A server may have to be started for the answer.
inline constexpr std::chrono::milliseconds start_patience =
  msg::limits::child_handshake_timeout_max + std::chrono::milliseconds{30'000};
/// The worker of the outputs may have much to write before.
inline constexpr std::chrono::seconds resource_list_timeout{10};
inline constexpr std::chrono::seconds resource_read_timeout{60};

} // namespace client
