// The end of a connection whose client may still be sending.
#pragma once

#include "wire.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

namespace http {

/// How long is waited for the client to read the last words and to close: a few round trips around the world. Longer
/// would let clients that are turned away take the places of others.
inline constexpr std::chrono::milliseconds farewell_max{2'000};
/// What a client still sends is read and dropped up to here: the rest of a body that was refused, which is how most
/// clients come to read an answer. Two seconds of a fast network bring more; who sends more will not read it.
inline constexpr size_t farewell_bytes_max = 32u << 20;

/// A socket that is closed while it has unread bytes resets the connection, and the client may lose what was sent to it
/// last. So the last words are sent, the end of them is, and what comes is read for a while.
class farewell : public std::enable_shared_from_this<farewell> {
public:
  /// `place` is held until the socket is closed. The words are dropped if the system does not take them at once.
  static void say(wire& to, std::string_view last_words, std::shared_ptr<void> place);

  farewell(asio::ip::tcp::socket to, std::shared_ptr<void> place)
    : socket_(std::move(to)),
      timer_(socket_.get_executor()),
      place_(std::move(place)) {}

private:
  void start();
  void read_on();
  void close();

  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  std::shared_ptr<void> place_;
  size_t dropped_bytes_ = 0;
  std::array<char, 16u << 10> buffer_; ///< so much is read at once
};

} // namespace http
