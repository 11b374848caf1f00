// A listening socket of a box's own network, given to the process outside. For guest-init and guest-spawn, so without a
// C++ library.
#pragma once

#include "sandbox/isolation/confinement.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace sandbox {

/// The process that holds the other end of `over` accepts here what the guest connects.
inline void give_listener(int over, uint16_t port, int backlog, const char* what) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0 || bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(s, backlog) != 0
      || !send_descriptor(over, s))
    fail(what);
  close(s);
}

/// For a guest that can only connect: its one connection is accepted outside. The network is the box's own, and a Unix
/// socket is nothing that a guest may make.
inline void give_channel(int over, uint16_t port) { give_listener(over, port, 1, "channel"); }

} // namespace sandbox
