// Writes JSON messages to a descriptor in order, from a bounded queue.
#pragma once

#include "messages/document.hpp"
#include "process/framing.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <deque>
#include <memory>
#include <string>

namespace process {

class json_writer : public std::enable_shared_from_this<json_writer> {
public:
  /// `worker` writes what is large into text. `unsent_bytes_max` bounds the queue.
  json_writer(std::shared_ptr<asio::posix::stream_descriptor> to, asio::any_io_executor worker, framing kind, size_t unsent_bytes_max);

  /// False when the queue is full or the descriptor is closed: the message is not sent.
  bool push(msg::spliced_text message);
  /// Sends what is queued, then ends run(). Nothing more is taken.
  void finish();
  /// Ends run() now and closes the descriptor.
  void close();
  size_t unsent_bytes() const { return unsent_bytes_; }
  /// Memory of what is queued, and of what is being written.
  size_t held_bytes() const { return queued_bytes_ + writing_bytes_; }

  /// Why run() has ended although both sides were there; else empty.
  const std::string& problem() const { return problem_; }

  /// Start once with co_spawn; keeps the writer alive. Ends by finish(), close() or when the other side is gone.
  asio::awaitable<void> run();

private:
  bool write_now(const msg::spliced_text& message);
  asio::awaitable<msg::outcome<std::string>> next_batch();
  asio::awaitable<void> write_all();

  std::shared_ptr<asio::posix::stream_descriptor> to_;
  asio::any_io_executor worker_;
  framing kind_;
  size_t unsent_bytes_max_;
  size_t unsent_bytes_ = 0;
  size_t queued_bytes_ = 0;  ///< of memory, in queue_
  size_t writing_bytes_ = 0; ///< of memory, that has left it
  std::deque<msg::spliced_text> queue_;
  std::string problem_;
  std::string begun_;       ///< rest of a message of which write_now() could write only a part
  bool idle_ = false;       ///< run() waits for something to do
  asio::steady_timer wake_; // cancelled when there is something to do
  bool finishing_ = false;
  bool closed_ = false;
};

} // namespace process
