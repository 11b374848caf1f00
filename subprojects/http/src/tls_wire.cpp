#include "tls_wire.hpp"

#include "response_text.hpp"

#include <asio/post.hpp>

#include <utility>

namespace http {

tls_wire::tls_wire(asio::ip::tcp::socket socket, std::unique_ptr<tls_session> session)
  : socket_(std::move(socket)),
    session_(std::move(session)) {
  asio::error_code ignored; // it would be closed, which the first read finds
  socket_.non_blocking(true, ignored);
}

void tls_wire::read_some(asio::mutable_buffer to, handler then) {
  if (!may_have_more_)
    return receive(to, std::move(then));
  asio::post(get_executor(), [self = shared_from_this(), to, then = std::move(then)]() mutable {
    self->read_session(to, std::move(then));
  });
}

void tls_wire::receive(asio::mutable_buffer to, handler then) {
  auto came = [self = shared_from_this(), to, then = std::move(then)](asio::error_code failed, size_t count) mutable {
    if (failed)
      return then(failed, 0);
    self->session_->feed({self->input_.data(), count});
    self->read_session(to, std::move(then));
  };
  socket_.async_read_some(asio::buffer(input_), std::move(came));
}

void tls_wire::read_session(asio::mutable_buffer to, handler then) {
  using kind = tls_session::reading::kind;
  if (!socket_.is_open())
    return then(asio::error::operation_aborted, 0);
  auto was_ready = is_ready();
  auto got = session_->read({static_cast<char*>(to.data()), to.size()});
  may_have_more_ = got.what == kind::bytes;
  if (auto failed = send_own(); failed && got.what != kind::failed)
    return then(failed, 0);
  switch (got.what) {
    case kind::bytes: return then({}, got.count);
    case kind::ended: return then(asio::error::eof, 0);
    case kind::failed: return then(not_understood(), 0);
    case kind::nothing: return is_ready() != was_ready ? then({}, 0) : receive(to, std::move(then));
  }
}

/// What the session has to say of itself: its part of a handshake, alerts, new keys.
asio::error_code tls_wire::send_own() {
  gather();
  if (output_.size() > tls_unsent_bytes_max)
    return asio::error::no_buffer_space;
  auto failed = send_some();
  if (failed || output_.empty() || sending_)
    return failed;
  sending_ = true;
  socket_.async_wait(asio::ip::tcp::socket::wait_write, [self = shared_from_this()](asio::error_code stopped) {
    self->sending_ = false;
    if (!stopped)
      self->send_own();
  });
  return {};
}

void tls_wire::gather() {
  output_.erase(0, std::exchange(sent_bytes_, 0));
  output_ += session_->take_output();
}

asio::error_code tls_wire::send_some() {
  while (sent_bytes_ < output_.size()) {
    asio::error_code failed;
    auto count = socket_.write_some(asio::buffer(output_.data() + sent_bytes_, output_.size() - sent_bytes_), failed);
    if (failed)
      return failed == asio::error::would_block ? asio::error_code{} : failed;
    sent_bytes_ += count;
  }
  output_ = {};
  sent_bytes_ = 0;
  return {};
}

void tls_wire::write_some(const buffers& from, handler then) {
  asio::error_code failed;
  size_t count = 0;
  for (auto& each : from) {
    std::string_view all{static_cast<const char*>(each.data()), each.size()};
    auto part = all.substr(0, tls_write_bytes_max - count);
    if (!session_->write(part))
      failed = asio::error::broken_pipe;
    count += part.size();
  }
  gather();
  if (!failed)
    failed = send_some();
  if (!failed && !output_.empty())
    return send_rest(count, std::move(then));
  asio::post(get_executor(), [failed, count, then = std::move(then)] { then(failed, failed ? 0 : count); });
}

void tls_wire::send_rest(size_t count, handler then) {
  auto ready = [self = shared_from_this(), count, then = std::move(then)](asio::error_code failed) mutable {
    if (!failed)
      failed = self->send_some();
    if (failed || self->output_.empty())
      return then(failed, failed ? 0 : count);
    self->send_rest(count, std::move(then));
  };
  socket_.async_wait(asio::ip::tcp::socket::wait_write, std::move(ready));
}

void tls_wire::write_now(std::string_view text) {
  session_->write(text);
  send_own();
}

std::optional<asio::ip::tcp::socket> tls_wire::part(std::string_view last_words) {
  asio::error_code failed;
  socket_.cancel(failed);
  session_->write(last_words);
  session_->end();
  gather();
  if (session_->met_plain_http())
    output_ += last_answer_text(plain_answer(400, "this is a port of HTTPS, and the request came without TLS"));
  failed = send_some();
  if (!failed && output_.empty())
    return end_sending(socket_);
  socket_.close(failed);
  return std::nullopt;
}

void tls_wire::close() {
  session_->end();
  gather();
  send_some();
  asio::error_code ignored;
  socket_.close(ignored);
}

} // namespace http
