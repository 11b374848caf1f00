// How a server is treated.
#pragma once

#include "actors/resilience/circuit_breaker.hpp"
#include "messages/limits.hpp"
#include "messages/servers.hpp"

#include <chrono>
#include <cstdint>

namespace child {

struct server_limits {
  resilience::breaker_options breaker{msg::limits::breaker_failures_max, msg::limits::breaker_window,
                                      msg::limits::breaker_open_for};
  uint32_t starts_per_minute = msg::limits::child_starts_per_minute;
  std::chrono::milliseconds idle = msg::limits::child_idle; ///< 0: it is never stopped for being idle
  uint32_t calls_at_once = msg::limits::child_calls_at_once;
  std::chrono::milliseconds start = msg::limits::child_handshake_timeout;
};

/// What its entry says counts more than what the settings say of all.
inline server_limits limits_of(const msg::server_entry& entry, server_limits of_all) {
  if (entry.calls_max > 0)
    of_all.calls_at_once = entry.calls_max;
  if (entry.idle_ms > 0 || entry.eager)
    of_all.idle = std::chrono::milliseconds{entry.eager ? 0 : entry.idle_ms};
  return of_all;
}

} // namespace child
