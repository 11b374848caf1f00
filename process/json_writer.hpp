// Writes JSON messages to a descriptor in order, from a bounded queue.
#pragma once

#include "messages/document.hpp"
#include "process/framing.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace process {

/// What of a json_writer's queue is full.
enum class full : uint8_t { nothing, bytes, memory, messages };

class json_writer : public std::enable_shared_from_this<json_writer> {
public:
  /// `worker` writes what is large into text. `unsent_bytes_max` bounds the queue.
  json_writer(std::shared_ptr<asio::posix::stream_descriptor> to, asio::any_io_executor worker, framing kind,
              size_t unsent_bytes_max);

  /// False when the queue is full or the descriptor is closed: the message is not sent. By its `key`, which no other
  /// one that waits has, it may be taken back; 0: it has none.
  bool push(msg::spliced_text message, uint64_t key = 0);
  /// The message is not sent after all, and its memory is free. False: it is not here any more, or has begun to leave,
  /// which it ends.
  bool take_back(uint64_t key);
  /// Sends what is queued, then ends run(). Nothing more is taken.
  void finish();
  /// Ends run() now and closes the descriptor.
  void close();
  /// finish() or close() was called, or run() has ended: what push() refuses now is not refused because the queue is
  /// full.
  bool is_ending() const { return finishing_ || closed_; }
  size_t unsent_bytes() const { return unsent_bytes_; }
  size_t unsent_messages() const { return queue_.size(); }
  /// Why the last push() was false; `nothing`: not for want of room.
  full refused_for() const { return refused_for_; }
  /// Memory of what is queued, and of what is being written.
  size_t held_bytes() const { return queued_bytes_ + writing_bytes_; }

  /// Of a pipe: for so long the other side has read nothing of what is there for it, as far as that was looked at
  /// (here, and with every message that has a key). 0: nothing is there, or it reads.
  std::chrono::milliseconds unread_for();
  /// Whether it has read anything at all, as far as we know.
  bool was_read();

  /// Why run() has ended although both sides were there; else empty.
  const std::string& problem() const { return problem_; }

  /// Start once with co_spawn; keeps the writer alive. Ends by finish(), close() or when the other side is gone.
  asio::awaitable<void> run();

private:
  full what_is_full(size_t text_bytes, size_t held_bytes) const;
  bool write_now(const msg::spliced_text& message);
  asio::awaitable<msg::fault> next_batch();
  asio::awaitable<bool> write_batch();
  asio::awaitable<void> write_all();
  asio::awaitable<msg::fault> add_large(msg::spliced_text message, uint64_t key);
  void add(std::string text, uint64_t key);
  bool take_back_queued(uint64_t key);
  bool take_back_of_batch(uint64_t key);
  bool look_at_reader();

  struct waiting {
    msg::spliced_text message;
    uint64_t key = 0;
  };
  /// A message in the batch.
  struct piece {
    uint64_t key = 0;
    size_t begin = 0, bytes = 0;
  };

  std::shared_ptr<asio::posix::stream_descriptor> to_;
  asio::any_io_executor worker_;
  framing kind_;
  size_t unsent_bytes_max_;
  size_t unsent_bytes_ = 0;
  full refused_for_ = full::nothing;
  size_t queued_bytes_ = 0;  ///< of memory, in queue_
  size_t writing_bytes_ = 0; ///< of memory, that has left it
  std::list<waiting> queue_;
  std::unordered_map<uint64_t, std::list<waiting>::iterator> keyed_; ///< of those that have one
  std::string batch_;                                                ///< that is being written
  size_t written_ = 0;                                               ///< bytes of it
  std::vector<piece> pieces_;                                        ///< messages in it that have a key, in order
  uint64_t making_ = 0;     ///< key of the large message that the worker writes into text; 0: none that is wanted
  uint64_t sent_bytes_ = 0; ///< that the system has taken, ever
  uint64_t read_bytes_ = 0; ///< of those, that the other side had read when it was looked at
  std::chrono::steady_clock::time_point unread_since_;
  std::string problem_;
  std::string begun_;       ///< rest of a message of which write_now() could write only a part
  bool idle_ = false;       ///< run() waits for something to do
  asio::steady_timer wake_; // cancelled when there is something to do
  bool finishing_ = false;
  bool closed_ = false;
};

} // namespace process
