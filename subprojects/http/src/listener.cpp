#include "listener.hpp"

#include <system_error>

namespace http {

asio::error_code listener::open(const std::string& host, uint16_t port) {
  try {
    asio::ip::tcp::endpoint where{asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host), port};
    acceptor_.open(where.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(where);
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
  } catch (const std::system_error& failed) {
    return failed.code();
  }
  accept();
  return {};
}

void listener::close() {
  asio::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  taken_ = nullptr;
}

void listener::accept() {
  acceptor_.async_accept(io_, [self = shared_from_this()](asio::error_code failed, asio::ip::tcp::socket socket) {
    if (!self->acceptor_.is_open())
      return;
    if (!failed) {
      self->taken_(std::move(socket));
      return self->acceptor_.is_open() ? self->accept() : void();
    }
    self->pause_.expires_after(accept_pause);
    self->pause_.async_wait([self](asio::error_code stopped) {
      if (!stopped && self->acceptor_.is_open())
        self->accept();
    });
  });
}

} // namespace http
