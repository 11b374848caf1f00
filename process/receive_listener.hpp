// A socket that listens inside the namespaces of a guest, made there and sent to us over a Unix socket.
#pragma once

#include "messages/errors.hpp"
#include "process/child.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <chrono>

namespace process {

/// Waits for the one message on the Unix socket `from` that carries a listening stream socket of this family (AF_INET,
/// AF_UNIX). The fault (internal) says what came instead; nothing that came with the message stays open.
asio::awaitable<msg::outcome<descriptor>> receive_listener(asio::any_io_executor executor, descriptor from, int family,
                                                           std::chrono::milliseconds patience);

} // namespace process
