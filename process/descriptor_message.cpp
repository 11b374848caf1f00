#include "process/descriptor_message.hpp"

#include "process/become.hpp"
#include "process/no_throw.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <system_error>

namespace process {

namespace {

/// One is expected. With room for a few more they are seen, and closed, instead of being cut off.
constexpr size_t descriptors_max = 8;

std::vector<descriptor> descriptors_of(msghdr& message) {
  std::vector<descriptor> out;
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

} // namespace

std::pair<descriptor, descriptor> make_message_sockets() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  return {descriptor{fds[0]}, descriptor{fds[1]}};
}

int send_message(int to, std::string_view text, std::span<const int> descriptors) {
  iovec whole{const_cast<char*>(text.data()), text.size()}; // which sendmsg() only reads
  msghdr message{};
  message.msg_iov = &whole;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(message_descriptors_max * sizeof(int))> control{};
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    auto* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  return ::sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

received_message receive_message(int from, size_t bytes_max) {
  received_message out;
  out.text.resize(bytes_max);
  iovec data{out.text.data(), out.text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(descriptors_max * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  auto n = ::recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  out.error = n < 0 ? errno : 0;
  out.text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  if (n >= 0)
    out.descriptors = descriptors_of(message);
  out.is_cut = (message.msg_flags & MSG_CTRUNC) != 0;
  return out;
}

/// Asio may report a descriptor too early, see reap_when_ended().
asio::awaitable<received_message> next_message(asio::posix::stream_descriptor& from, size_t bytes_max) {
  for (;;) {
    auto [ec] = co_await from.async_wait(asio::posix::descriptor_base::wait_read, no_throw);
    if (ec) {
      received_message cancelled;
      cancelled.error = ECANCELED;
      co_return cancelled;
    }
    auto found = receive_message(from.native_handle(), bytes_max);
    if (found.error != EAGAIN && found.error != EINTR)
      co_return found;
  }
}

} // namespace process
