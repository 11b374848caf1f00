// Takes the connections to one port.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace http {

/// Before the next try when one could not be taken: there are no descriptors, or no memory. Without it the loop would
/// do nothing else, and RESTinio's own acceptor never tries again.
inline constexpr std::chrono::milliseconds accept_pause{100};

class listener : public std::enable_shared_from_this<listener> {
public:
  listener(asio::io_context& io, std::function<void(asio::ip::tcp::socket)> taken)
    : io_(io),
      acceptor_(io),
      pause_(io),
      taken_(std::move(taken)) {}

  /// `host` is an address, or "localhost", which is 127.0.0.1. Once.
  asio::error_code open(const std::string& host, uint16_t port);
  uint16_t port() const { return port_; }
  void close();

private:
  void accept();

  asio::io_context& io_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::function<void(asio::ip::tcp::socket)> taken_;
  uint16_t port_ = 0;
};

} // namespace http
