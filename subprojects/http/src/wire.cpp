#include "wire.hpp"

namespace http {

std::optional<asio::ip::tcp::socket> end_sending(asio::ip::tcp::socket& of) {
  asio::error_code failed;
  of.shutdown(asio::ip::tcp::socket::shutdown_send, failed);
  if (!failed)
    return std::move(of);
  of.close(failed);
  return std::nullopt;
}

void reset_socket(asio::ip::tcp::socket& of) {
  asio::error_code ignored;
  of.set_option(asio::socket_base::linger(true, 0), ignored);
  of.close(ignored);
}

} // namespace http
