// Hosts as rules, requests and the log name them: one spelling for each.
#pragma once

#include "messages/errors.hpp"

#include <asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace egress {

struct host {
  /// Lower-case ASCII (`xn--` for other scripts), no dot at the end; an address: its usual text.
  std::string name;
  std::optional<asio::ip::address> literal; ///< the host is given as an address
  /// As it stands before a port: IPv6 in brackets.
  std::string text() const;
};

/// The fault (invalid_argument) quotes the text and says what is wrong with it. Every spelling of an address comes out
/// as that address; a text that only some programs take for an address is a fault.
msg::outcome<host> parse_host(std::string_view text);

/// Why no guest may ever connect to it, whatever it resolves to: names of this machine, of local networks and of
/// metadata services, and addresses that are not public. Empty: it may be allowed.
std::string why_never_allowed(const host& h);

/// "host:port".
std::string with_port(const host& h, uint16_t port);

/// 1 to 65535, digits only.
std::optional<uint16_t> parse_port(std::string_view text);

/// Hostile text for a message: printable ASCII, not long.
std::string printable(std::string_view text);

} // namespace egress
