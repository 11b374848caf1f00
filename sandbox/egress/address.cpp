#include "sandbox/egress/address.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace egress {

namespace {

using asio::ip::address;
using asio::ip::address_v4;
using asio::ip::address_v6;

// ---- classification ------------------------------------------------------------------------
// IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates), IANA multicast registries, and
// the metadata services of the cloud providers. The first match counts: the more telling ones come first.

struct v4_block {
  std::array<uint8_t, 4> prefix;
  unsigned bits;
  std::string_view what;
};
constexpr v4_block v4_blocks[] = {
  {{169, 254, 169, 254}, 32, "a cloud metadata address"},
  {{169, 254, 169, 253}, 32, "a cloud metadata address"},
  {{169, 254, 170, 2}, 32, "a cloud metadata address (Amazon ECS)"},
  {{100, 100, 100, 200}, 32, "a cloud metadata address (Alibaba)"},
  {{168, 63, 129, 16}, 32, "a cloud metadata address (Azure)"},
  {{192, 0, 0, 192}, 32, "a cloud metadata address (Oracle)"},
  {{0, 0, 0, 0}, 8, "an address of this machine (RFC 1122)"},
  {{10, 0, 0, 0}, 8, "a private address (RFC 1918)"},
  {{100, 64, 0, 0}, 10, "an address of carrier-grade NAT (RFC 6598)"},
  {{127, 0, 0, 0}, 8, "a loopback address (RFC 1122)"},
  {{169, 254, 0, 0}, 16, "a link-local address (RFC 3927)"},
  {{172, 16, 0, 0}, 12, "a private address (RFC 1918)"},
  {{192, 0, 0, 0}, 24, "an address for protocols (RFC 6890)"},
  {{192, 0, 2, 0}, 24, "an address for documentation (RFC 5737)"},
  {{192, 88, 99, 0}, 24, "a 6to4 relay address (RFC 7526)"},
  {{192, 168, 0, 0}, 16, "a private address (RFC 1918)"},
  {{198, 18, 0, 0}, 15, "an address for benchmarks (RFC 2544)"},
  {{198, 51, 100, 0}, 24, "an address for documentation (RFC 5737)"},
  {{203, 0, 113, 0}, 24, "an address for documentation (RFC 5737)"},
  {{224, 0, 0, 0}, 4, "a multicast address (RFC 5771)"},
  {{255, 255, 255, 255}, 32, "the broadcast address (RFC 919)"},
  {{240, 0, 0, 0}, 4, "a reserved address (RFC 1112)"},
};

struct v6_block {
  std::array<uint8_t, 16> prefix; // the rest is zero
  unsigned bits;
  std::string_view what;
};
constexpr v6_block v6_blocks[] = {
  {{}, 128, "the unspecified address (RFC 4291)"},
  {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, "the loopback address (RFC 4291)"},
  {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, "an IPv4-mapped address (RFC 4291)"},
  {{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, "an IPv4-translated address (RFC 2765)"},
  {{}, 96, "an IPv4-compatible address (RFC 4291)"},
  {{0, 0x64, 0xff, 0x9b}, 96, "a NAT64 address (RFC 6052)"},
  {{0, 0x64, 0xff, 0x9b, 0, 1}, 48, "a local NAT64 address (RFC 8215)"},
  {{0x01}, 64, "a discard-only address (RFC 6666)"},
  {{0x5f}, 16, "an address for segment routing (RFC 9602)"},
  {{0xfd, 0x00, 0x0e, 0xc2}, 32, "a cloud metadata address (Amazon)"},
  {{0xfd, 0x20, 0, 0xce}, 32, "a cloud metadata address (Google)"},
  {{0xfc}, 7, "a private address (RFC 4193)"},
  {{0xfe, 0x80}, 10, "a link-local address (RFC 4291)"},
  {{0xfe, 0xc0}, 10, "a site-local address (RFC 3879)"},
  {{0xff}, 8, "a multicast address (RFC 4291)"},
  {{0x20, 0x01, 0, 0}, 32, "a Teredo address (RFC 4380)"},
  {{0x20, 0x01, 0, 0x02}, 48, "an address for benchmarks (RFC 5180)"},
  {{0x20, 0x01, 0, 0x10}, 28, "an ORCHID (RFC 4843)"},
  {{0x20, 0x01, 0, 0x20}, 28, "an ORCHID (RFC 7343)"},
  {{0x20, 0x01}, 23, "an address for protocols (RFC 2928)"},
  {{0x20, 0x01, 0x0d, 0xb8}, 32, "an address for documentation (RFC 3849)"},
  {{0x20, 0x02}, 16, "a 6to4 address (RFC 3056)"},
  {{0x3f, 0xfe}, 16, "an address of the former 6bone (RFC 3701)"},
  {{0x3f, 0xff}, 20, "an address for documentation (RFC 9637)"},
};
/// The only block that IANA gives out as global unicast. All else is reserved, named above or not.
constexpr v6_block global_unicast{{0x20}, 3, ""};

template <size_t N>
bool is_inside(const std::array<uint8_t, N>& a, const std::array<uint8_t, N>& prefix, unsigned bits) {
  size_t whole = bits / 8;
  auto mask = static_cast<uint8_t>(0xff00u >> bits % 8);
  return std::equal(a.begin(), a.begin() + static_cast<ptrdiff_t>(whole), prefix.begin())
         && (whole == N || (a[whole] & mask) == (prefix[whole] & mask));
}

template <size_t N, class Blocks>
std::string_view first_block(const std::array<uint8_t, N>& a, const Blocks& blocks) {
  auto found =
    std::find_if(std::begin(blocks), std::end(blocks), [&](auto& b) { return is_inside(a, b.prefix, b.bits); });
  return found == std::end(blocks) ? std::string_view{} : found->what;
}

/// The interface identifier 0:5efe:a.b.c.d (RFC 5214), whatever the prefix: a tunnel to the IPv4 address.
bool is_isatap(const address_v6::bytes_type& a) {
  return (a[8] & ~0x02u) == 0 && a[9] == 0 && a[10] == 0x5e && a[11] == 0xfe;
}

// ---- spellings -------------------------------------------------------------------------------

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// One number as inet_aton reads it.
struct number {
  uint64_t value = 0;
  bool has_two_readings = false; ///< a leading zero: octal to most programs, decimal to some
};

std::optional<number> read_number(std::string_view text) {
  int base = 10;
  number out;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
    if (text.empty())
      return out; // URL parsers take it for zero
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  auto* end = text.data() + text.size();
  auto [stop, ec] = std::from_chars(text.data(), end, out.value, base);
  if (ec != std::errc{} || stop != end)
    return {};
  out.has_two_readings = base == 8 && out.value > 7;
  return out;
}

/// URL parsers take a host for an IPv4 address, right or wrong, when its last part is a number.
bool looks_like_number(std::string_view part) {
  bool hexadecimal = part.starts_with("0x") || part.starts_with("0X");
  auto digits = hexadecimal ? part.substr(2) : part;
  auto in_base = [&](char c) {
    return is_digit(c) || (hexadecimal && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
  };
  return !part.empty() && std::all_of(digits.begin(), digits.end(), in_base);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    auto end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == text.npos)
      return out;
    text.remove_prefix(end + 1);
  }
}

host_spelling ambiguous() { return {host_spelling::kind::ambiguous, {}}; }

/// One to four numbers; the last one fills the bytes that are left.
host_spelling read_v4(const std::vector<std::string_view>& parts) {
  if (parts.size() > 4)
    return ambiguous();
  uint64_t value = 0;
  bool has_two_readings = false;
  for (size_t i = 0; i < parts.size(); ++i) {
    auto n = read_number(parts[i]);
    bool is_last = i + 1 == parts.size();
    auto bytes = is_last ? 4 - i : 1;
    if (parts[i].empty() || !n || n->value >> 8 * bytes != 0)
      return ambiguous();
    value |= n->value << 8 * (is_last ? 0 : 3 - i);
    has_two_readings = has_two_readings || n->has_two_readings;
  }
  address a{address_v4{static_cast<uint32_t>(value)}};
  if (has_two_readings && is_public(a))
    return ambiguous(); // 010.8.8.8 is 8.8.8.8 to one program and 10.8.8.8 to the next
  return {host_spelling::kind::address, a};
}

host_spelling read_v6(std::string_view text) {
  text = text.substr(0, text.find('%')); // a zone only says through which device
  asio::error_code ec;
  auto a = asio::ip::make_address_v6(std::string{text}, ec);
  return ec ? ambiguous() : host_spelling{host_spelling::kind::address, address{a}};
}

} // namespace

std::string_view why_not_public(const address& a) {
  if (a.is_v4())
    return first_block(a.to_v4().to_bytes(), v4_blocks);
  auto bytes = a.to_v6().to_bytes();
  if (auto what = first_block(bytes, v6_blocks); !what.empty())
    return what;
  if (!is_inside(bytes, global_unicast.prefix, global_unicast.bits))
    return "a reserved address (RFC 4291)";
  return is_isatap(bytes) ? std::string_view{"an ISATAP address (RFC 5214)"} : std::string_view{};
}

host_spelling literal_address(std::string_view host) {
  while (host.ends_with('.'))
    host.remove_suffix(1);
  bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 1;
  if (bracketed)
    host = host.substr(1, host.size() - 2);
  if (host.find(':') != host.npos)
    return read_v6(host);
  if (bracketed || host.find_first_of("[]") != host.npos)
    return ambiguous();
  auto parts = split(host, '.');
  return looks_like_number(parts.back()) ? read_v4(parts) : host_spelling{};
}

} // namespace egress
