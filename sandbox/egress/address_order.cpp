#include "sandbox/egress/address_order.hpp"

#include "process/child.hpp"
#include "sandbox/egress/address.hpp"

#include <asio/ip/udp.hpp>

#include <algorithm>
#include <optional>
#include <sys/socket.h>
#include <utility>

namespace egress {

namespace {

using asio::ip::address;
using asio::ip::udp;

/// Which of our addresses packets to `to` would have. Connecting a socket for datagrams sends none.
std::optional<address> source_towards(const address& to) {
  constexpr uint16_t any_port = 53;
  udp::endpoint there{to, any_port}, here;
  process::descriptor socket{::socket(there.protocol().family(), SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  auto size = static_cast<socklen_t>(here.capacity());
  if (!socket || ::connect(socket.get(), there.data(), static_cast<socklen_t>(there.size())) != 0
      || ::getsockname(socket.get(), here.data(), &size) != 0)
    return {};
  return here.address();
}

enum class reach : uint8_t { ipv6, ipv4, local_ipv6, none };

reach reach_of(const address& to) {
  auto source = source_towards(to);
  if (!source)
    return reach::none;
  if (to.is_v4())
    return reach::ipv4;
  return is_public(*source) ? reach::ipv6 : reach::local_ipv6;
}

} // namespace

void order_by_reach(std::vector<address>& addresses) {
  std::vector<std::pair<reach, address>> ranked;
  ranked.reserve(addresses.size());
  for (auto& a : addresses)
    ranked.emplace_back(reach_of(a), a);
  std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::transform(ranked.begin(), ranked.end(), addresses.begin(), [](auto& r) { return r.second; });
}

bool is_ipv6_there() {
  static const auto somewhere = asio::ip::make_address("2001:500:2f::f"); // a root name server
  return source_towards(somewhere).has_value();
}

} // namespace egress
