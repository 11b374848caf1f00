#include "plain_wire.hpp"

#include <utility>

namespace http {

namespace {

/// False: the system did not take everything.
bool take_at_once(asio::ip::tcp::socket& to, std::string_view text) {
  asio::error_code failed;
  to.non_blocking(true, failed);
  if (failed)
    return false;
  auto written = to.write_some(asio::buffer(text), failed);
  return !failed && written == text.size();
}

} // namespace

void plain_wire::read_some(asio::mutable_buffer to, handler then) { socket_.async_read_some(to, std::move(then)); }

void plain_wire::write_some(const buffers& from, handler then) { socket_.async_write_some(from, std::move(then)); }

void plain_wire::write_now(std::string_view text) { take_at_once(socket_, text); }

std::optional<asio::ip::tcp::socket> plain_wire::part(std::string_view last_words) {
  asio::error_code ignored;
  socket_.cancel(ignored);
  if (last_words.empty() || take_at_once(socket_, last_words))
    return end_sending(socket_);
  socket_.close(ignored);
  return std::nullopt;
}

void plain_wire::close() {
  asio::error_code ignored;
  socket_.close(ignored);
}

void plain_wire::reset() { reset_socket(socket_); }

} // namespace http
