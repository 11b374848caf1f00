// One message of a Unix socket, and descriptors that go with it (SCM_RIGHTS).
#pragma once

#include "process/child.hpp"

#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace process {

/// Both ends keep the bounds of messages (SOCK_SEQPACKET). Throws std::system_error when the process has no descriptors
/// left.
std::pair<descriptor, descriptor> make_message_sockets();

/// Never blocks. At most message_descriptors_max of them (become.hpp). 0, or errno.
int send_message(int to, std::string_view text, std::span<const int> descriptors);

struct received_message {
  int error = 0; ///< errno; EAGAIN: there is none now
  std::string text;
  std::vector<descriptor> descriptors;
  bool is_cut = false; ///< more descriptors came with it than are expected here
  bool is_end() const { return error == 0 && text.empty() && descriptors.empty(); }
};

/// What is there, without waiting: at most so many bytes, and a few descriptors.
received_message receive_message(int from, size_t bytes_max);

/// Waits for the next one. `error` also when the waiting was cancelled.
asio::awaitable<received_message> next_message(asio::posix::stream_descriptor& from, size_t bytes_max);

} // namespace process
