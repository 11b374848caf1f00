// Whether the kernel would keep to itself what is sent to an address: because an interface has it, or a route of the
// type `local` names it, as load balancers and transparent proxies are set up.
#pragma once

#include <asio/ip/address.hpp>

namespace egress {

/// Asks the kernel's routes. Where they can not be asked: true, so that the address is refused.
bool is_routed_to_us(const asio::ip::address& address);

} // namespace egress
