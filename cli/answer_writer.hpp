// What is sent to the client, and when a client that does not read it is given up.
#pragma once

#include "messages/limits.hpp"
#include "process/json_writer.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace cli {

/// Is there until the loop has ended.
class answer_writer {
public:
  /// `worker` writes what is large into text. `give_up` is called once, if the client can not be sent anything any more
  /// although it is there.
  answer_writer(const std::shared_ptr<asio::posix::stream_descriptor>& to, const asio::any_io_executor& worker,
                size_t unsent_bytes_max, std::function<void(const std::string& why)> give_up);

  void send(msg::spliced_text message);
  /// Bytes that may wait to be read besides those that do.
  size_t room() const;
  /// Whether the client should get what it can do without, and more of its requests be read.
  bool is_read() const { return writer_->unsent_messages() < msg::limits::client_unread_messages_max; }
  /// Until that is so, but no longer than a client may be deaf.
  asio::awaitable<void> until_read();
  /// Sends what waits, then ends run().
  void finish() { writer_->finish(); }
  /// Start once. Ends by finish() or when the client is gone.
  asio::awaitable<void> run();

private:
  size_t waiting_bytes() const;
  asio::awaitable<void> watch_reader();
  void give_up(const std::string& why);
  std::string told_of_reader();

  asio::any_io_executor executor_;
  size_t unsent_bytes_max_;
  std::function<void(const std::string&)> give_up_; ///< empty: it was called
  std::shared_ptr<process::json_writer> writer_;
  bool is_watched_ = false;
};

} // namespace cli
