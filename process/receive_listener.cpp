#include "process/receive_listener.hpp"

#include "process/no_throw.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace process {

namespace {

using descriptors = std::vector<descriptor>;
/// One is expected. With room for a few more they are seen, and closed, instead of being cut off.
constexpr size_t descriptors_max = 8;

msg::fault failed(std::string what) {
  return {msg::errc::internal, "the socket of a sandbox did not come: " + std::move(what)};
}

descriptors descriptors_of(msghdr& message) {
  descriptors out;
  for (auto* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    auto count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      out.emplace_back(fd);
    }
  }
  return out;
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
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(descriptors_max * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  auto n = ::recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (n < 0)
    return failed(std::strerror(errno));
  auto received = descriptors_of(message);
  if (n == 0 && received.empty())
    return failed("it ended before it had a listener");
  if (received.size() != 1 || (message.msg_flags & MSG_CTRUNC) != 0 || !is_listener(received[0].get(), family))
    return failed("it sent something else than one listening socket");
  return std::move(received[0]);
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
