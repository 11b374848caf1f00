// The listener of a guest's proxy: made inside the guest's network namespace, sent to us over a Unix socket.
#pragma once

#include "messages/errors.hpp"
#include "process/child.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <chrono>

namespace network {

/// Waits for the one message on the Unix socket `from` that carries a listening TCP socket. The fault (internal) says what
/// came instead; nothing that came with the message stays open.
asio::awaitable<msg::outcome<process::descriptor>> receive_listener(asio::any_io_executor executor, process::descriptor from,
                                                                    std::chrono::milliseconds patience);

} // namespace network
