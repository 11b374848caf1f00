// In which order the addresses of a name are tried.
#pragma once

#include <asio/ip/address.hpp>

#include <vector>

namespace egress {

/// Best first, after RFC 6724: IPv6 where this machine has a public address of its own for it, then IPv4, then what is
/// reached from another IPv6 address; last what no route leads to. Asks the kernel for each, without sending anything.
void order_by_reach(std::vector<asio::ip::address>& addresses);

/// Whether there is a route to the Internet of IPv6.
bool is_ipv6_there();

} // namespace egress
