// What RESTinio takes for a socket. See guarded_connection.hpp.
#pragma once

#include "guarded_connection.hpp"

#include <restinio/tls_fwd.hpp>

#include <memory>
#include <utility>

namespace http {

/// The connection ends with it, or before.
class guarded_socket {
public:
  using executor_type = asio::any_io_executor;

  explicit guarded_socket(std::shared_ptr<guarded_connection> connection) : connection_(std::move(connection)) {}
  guarded_socket(guarded_socket&&) = default;
  guarded_socket& operator=(guarded_socket&&) = delete;
  ~guarded_socket() {
    if (connection_)
      connection_->close();
  }

  executor_type get_executor() { return connection_->get_executor(); }
  bool is_open() const { return connection_->is_open(); }
  void close() { connection_->close(); }
  /// RESTinio closes after it.
  template <class Direction>
  void shutdown(Direction, asio::error_code&) {}
  /// RESTinio stops reading before its last answer: there is no request, and that the client goes is still of interest.
  void cancel(asio::error_code&) {}

  template <class Handler>
  void async_read_some(asio::mutable_buffer to, Handler&& then) {
    connection_->read(to, std::forward<Handler>(then));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& from, Handler&& then) {
    guarded_connection::buffers list{asio::buffer_sequence_begin(from), asio::buffer_sequence_end(from)};
    connection_->write(list, std::forward<Handler>(then));
  }

private:
  std::shared_ptr<guarded_connection> connection_;
};

// RESTinio finds these by the type of their arguments, as it does those of its own sockets.
template <class Connection, class Start, class Failed>
void prepare_connection_and_start_read(guarded_socket&, Connection&, Start start, Failed) {
  start();
}
inline restinio::tls_socket_t* make_tls_socket_pointer_for_state_listener(guarded_socket&) noexcept { return nullptr; }

} // namespace http
