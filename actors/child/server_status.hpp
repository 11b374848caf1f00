// How a server is, for those who ask.
#pragma once

#include "actors/child/known_tools.hpp"
#include "actors/child/lifecycle.hpp"
#include "actors/child/restart_policy.hpp"
#include "actors/child/server_link.hpp"
#include "messages/servers.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace child {

/// `login_wanted`: why a person has to log in at one that runs; empty: nobody has to. `unread_ms`: of
/// server_link::unread_ms(). `open_calls`: those that wait included. What only the configuration knows is left empty.
msg::server_status status_of(std::string server, const lifecycle& life, const restart_policy& restarts,
                             const known_tools& tools, std::string login_wanted, uint32_t unread_ms, size_t open_calls,
                             std::chrono::steady_clock::time_point now);
/// Why it may not have answered yet. `unsent`: calls that wait for a slot.
msg::server_start start_of(std::string server, const lifecycle& life, server_link& link, size_t unsent,
                           std::chrono::steady_clock::time_point now);

} // namespace child
