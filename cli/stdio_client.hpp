// The client on stdin and stdout.
#pragma once

#include "actors/client_wire.hpp"
#include "cli/answer_writer.hpp"
#include "messages/actors.hpp"
#include "process/json_reader.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <caf/actor_control_block.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cli {

struct stdio_client_options {
  caf::strong_actor_ptr port;                           ///< see actors/bridge/ask.hpp
  asio::any_io_executor worker;                         ///< reads and writes what is large
  size_t unsent_bytes_max = 0;                          ///< of answers that it has not read
  msg::spelling text_is = msg::spelling::ours;          ///< of its messages; kept where they are passed on
  std::function<void()> left;                           ///< there is no more to read, or it reads no more
  std::function<void(const std::string& why)> given_up; ///< it is there, and can not be served
};

/// The last answers have this long to be read by the client.
inline constexpr std::chrono::milliseconds last_answers_max{100};

/// Is there until the loop has ended.
class stdio_client {
public:
  /// Answers that a client may leave unread, of a process that may have so much memory.
  static size_t unsent_bytes_max(uint64_t memory_bytes);

  stdio_client(asio::io_context& io, stdio_client_options options);

  /// How its session sends to it.
  actors::client_wire wire();
  void serve(msg::client_connection_actor session) { session_ = std::move(session); }
  /// Reads and writes from now on.
  void start(asio::io_context& io);
  /// What is read from now on is not taken.
  void stop() { is_stopped_ = true; }
  /// Sends what waits, and nothing more.
  void finish() { answers_.finish(); }
  /// Until that is done, or last_answers_max is over. Only of one that was started.
  asio::awaitable<void> until_written();
  /// It has said something: somebody was there.
  bool has_spoken() const { return has_spoken_; }
  /// After the loop.
  void forget() { session_ = nullptr; }

private:
  asio::awaitable<void> write_answers();
  asio::awaitable<void> read_requests();
  asio::awaitable<void> hand_over(process::json_event event);
  void end_unless(const msg::outcome<bool>& taken);

  stdio_client_options options_;
  std::shared_ptr<asio::posix::stream_descriptor> in_;
  answer_writer answers_;
  msg::client_connection_actor session_;
  bool is_stopped_ = false;
  asio::steady_timer written_; ///< cancelled when all is written
  bool is_written_ = false;
  bool has_spoken_ = false;
};

} // namespace cli
