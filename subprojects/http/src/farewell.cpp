#include "farewell.hpp"

#include <asio/buffer.hpp>

#include <utility>

namespace http {

void farewell::say(wire& to, std::string_view last_words, std::shared_ptr<void> place) {
  if (auto socket = to.part(last_words))
    std::make_shared<farewell>(std::move(*socket), std::move(place))->start();
}

void farewell::start() {
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
