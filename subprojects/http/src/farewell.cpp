#include "farewell.hpp"

#include <asio/buffer.hpp>

namespace http {

bool write_now(asio::ip::tcp::socket& to, std::string_view text) {
  asio::error_code failed;
  to.non_blocking(true, failed);
  if (failed)
    return false;
  auto written = to.write_some(asio::buffer(text), failed);
  return !failed && written == text.size();
}

void farewell::say(asio::ip::tcp::socket to, std::string_view last_words, std::shared_ptr<void> place) {
  std::make_shared<farewell>(std::move(to), std::move(place))->start(last_words);
}

void farewell::start(std::string_view last_words) {
  if (!last_words.empty() && !write_now(socket_, last_words))
    return close();
  asio::error_code failed;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, failed);
  if (failed)
    return close();
  timer_.expires_after(farewell_max);
  timer_.async_wait([self = shared_from_this()](asio::error_code stopped) {
    if (!stopped)
      self->close();
  });
  read_on();
}

void farewell::read_on() {
  socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](asio::error_code failed, size_t count) {
    self->dropped_bytes_ += count;
    if (failed || self->dropped_bytes_ > farewell_bytes_max)
      return self->close();
    self->read_on();
  });
}

void farewell::close() {
  asio::error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
  place_ = nullptr;
}

} // namespace http
