// Runs a program to its end, bounded in time and in what is kept of its output.
#pragma once

#include "messages/errors.hpp"
#include "process/child.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <chrono>
#include <string>

namespace process {

/// Of each stream of a command; the rest is read and dropped. `podman info` says 4 KiB.
inline constexpr size_t command_output_bytes_max = 1u << 20;

struct command_result {
  exit_status status;
  bool timed_out = false; ///< it was killed
  std::string output, errors;

  bool succeeded() const { return !timed_out && !status.by_signal && status.code == 0; }
};

/// Its stdin is empty; further descriptors of `what` must stay open until this is awaited. The fault: it could not be
/// started.
asio::awaitable<msg::outcome<command_result>> run_command(asio::any_io_executor executor, launch what,
                                                          std::chrono::milliseconds timeout);

} // namespace process
