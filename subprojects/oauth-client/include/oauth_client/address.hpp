// Addresses that servers name, and whether they may be asked at all: a server that lies would have us knock at doors
// that only we can reach (SSRF), or hand what is secret to another one (mix-up).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace oauth {

/// Of any address. Browsers and servers take 8 KiB at most.
inline constexpr size_t address_bytes_max = 4u << 10;

/// Of http or https.
struct address {
  std::string scheme; ///< in small letters
  std::string host;   ///< in small letters; of IPv6 with its brackets
  uint16_t port = 0;  ///< never 0
  std::string path;   ///< begins with '/'; as it is written
  std::string query;  ///< without '?'
  bool has_query = false;
  bool has_fragment = false;
  bool has_user = false;
};

/// Nothing: it is none, or one that two readers could understand differently (blanks, control characters, letters that
/// are not ASCII, backslashes, codes in the name of the host, numbers that are not written as an address).
std::optional<address> parse_address(std::string_view url);

/// `https://host`, with the port if it is not the scheme's own.
std::string origin_of(const address& of);

enum class reach : uint8_t {
  everywhere,   ///< by its name, or by an address of the internet
  private_net,  ///< an address of a private net
  link_local,   ///< of the link, where clouds keep their keys, or none that a server has
  this_machine, ///< `localhost`, 127.0.0.1, [::1]
};
/// By how it is written: no name is looked up.
reach reach_of(std::string_view host);

/// Why `url`, which was named when we wanted to log in at `server_url`, may not be asked or opened. Empty: it may.
/// https only, but for http on this machine if the server is there as well; no user, no fragment; an address of a
/// private net or of this machine only if the server has one of that kind itself.
std::string refusal_of(std::string_view url, std::string_view server_url);

} // namespace oauth
