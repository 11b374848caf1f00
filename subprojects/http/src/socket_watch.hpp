// Tells when a socket of libcurl's can be read or written.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>

namespace http {

/// Watches a duplicate of the socket: its owner may close it at any time, and the number be that of another one, before
/// or after it says so. While the duplicate is open, so is the connection: the client must stop when libcurl tells it
/// to.
class socket_watch : public std::enable_shared_from_this<socket_watch> {
public:
  /// `ready` gets CURL_CSELECT_IN or CURL_CSELECT_OUT. It may drop the watch.
  socket_watch(asio::io_context& io, std::function<void(int what)> ready) : descriptor_(io), ready_(std::move(ready)) {}

  /// The error is that of a process without free descriptors. Once.
  asio::error_code open(int socket);
  /// CURL_POLL_IN, CURL_POLL_OUT, CURL_POLL_INOUT; in force until it is called again.
  void want(int what);
  /// `ready` is not called any more.
  void close();

private:
  void wait();
  void wait_for(asio::posix::descriptor_base::wait_type type, int what, bool socket_watch::*waiting);

  asio::posix::stream_descriptor descriptor_;
  std::function<void(int what)> ready_;
  int wanted_ = 0;
  bool reading_ = false; ///< wait_for() waits for it
  bool writing_ = false;
};

} // namespace http
