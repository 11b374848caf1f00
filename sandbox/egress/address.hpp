// Addresses: which ones a guest may reach, and every way to spell one.
#pragma once

#include <asio/ip/address.hpp>

#include <string_view>

namespace egress {

/// Why no guest may ever connect to `a`, e.g. "a loopback address (RFC 1122)". Empty: it is a public unicast address.
/// IPv4 addresses inside of IPv6 ones (mapped, NAT64, 6to4, ...) are refused whatever they are: no name of a public
/// host resolves to one, and where they lead depends on the machine.
std::string_view why_not_public(const asio::ip::address& a);

inline bool is_public(const asio::ip::address& a) { return why_not_public(a).empty(); }

/// What a host text is to the programs that read one.
struct host_spelling {
  enum class kind : uint8_t {
    name,      ///< no program takes it for an address
    address,   ///< all programs that take it for an address take it for this one
    ambiguous, ///< an address to some programs; which one, or whether it is one, depends on the program
  };
  kind what = kind::name;
  asio::ip::address address; ///< of kind::address
};

/// Knows every spelling that inet_aton, getaddrinfo and URL parsers take: decimal, octal and hexadecimal numbers, one
/// to four of them, trailing dots, brackets, zones. `host` is ASCII, without percent-encoding.
host_spelling literal_address(std::string_view host);

} // namespace egress
