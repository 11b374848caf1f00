#include "process/receive_listener.hpp"

#include "process/descriptor_message.hpp"
#include "process/no_throw.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <utility>

namespace process {

namespace {

msg::fault failed(std::string what) {
  return {msg::errc::internal, "the socket of a sandbox did not come: " + std::move(what)};
}

bool has_option(int socket, int option, int wanted) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 && value == wanted;
}

bool is_listener(int fd, int family) {
  return has_option(fd, SO_DOMAIN, family) && has_option(fd, SO_TYPE, SOCK_STREAM) && has_option(fd, SO_ACCEPTCONN, 1);
}

/// `from` is readable, or at its end.
msg::outcome<descriptor> take_listener(int from, int family) {
  auto received = receive_message(from, 1);
  if (received.error != 0)
    return failed(std::strerror(received.error));
  if (received.is_end())
    return failed("it ended before it had a listener");
  auto& sockets = received.descriptors;
  if (sockets.size() != 1 || received.is_cut || !is_listener(sockets[0].get(), family))
    return failed("it sent something else than one listening socket");
  return std::move(sockets[0]);
}

} // namespace

asio::awaitable<msg::outcome<descriptor>> receive_listener(asio::any_io_executor executor, descriptor from, int family,
                                                           std::chrono::milliseconds patience) {
  auto socket = std::make_shared<asio::posix::stream_descriptor>(executor, from.release());
  asio::steady_timer alarm{executor, patience};
  std::weak_ptr<asio::posix::stream_descriptor> waiting = socket;
  alarm.async_wait([waiting](asio::error_code ec) {
    if (auto s = waiting.lock(); s && !ec)
      s->cancel();
  });
  auto [ec] = co_await socket->async_wait(asio::posix::descriptor_base::wait_read, no_throw);
  if (ec)
    co_return failed("it had no listener after " + std::to_string(patience.count()) + " ms");
  co_return take_listener(socket->native_handle(), family);
}

} // namespace process
