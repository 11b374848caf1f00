#include "oauth_client/address.hpp"

#include "text/ascii.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>

namespace oauth {

namespace {

using ipv4 = std::array<uint8_t, 4>;
using ipv6 = std::array<uint8_t, 16>;

constexpr size_t host_bytes_max = 253; // RFC 1035

bool is_plain(char c) { return c > ' ' && c < 0x7f && c != '\\' && c != '"' && c != '<' && c != '>'; }

bool is_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<ipv4> parse_ipv4(std::string_view host) {
  ipv4 out{};
  if (::inet_pton(AF_INET, std::string{host}.c_str(), out.data()) != 1)
    return std::nullopt;
  return out;
}

std::optional<ipv6> parse_ipv6(std::string_view host) {
  ipv6 out{};
  if (!host.starts_with('[') || !host.ends_with(']'))
    return std::nullopt;
  if (::inet_pton(AF_INET6, std::string{host.substr(1, host.size() - 2)}.c_str(), out.data()) != 1)
    return std::nullopt;
  return out;
}

/// What common libraries take for a number, and so for an address: `2130706433`, `0x7f.1`, `127.1`.
bool ends_with_number(std::string_view host) {
  auto last = host.substr(host.rfind('.') + 1); // npos + 1 is 0
  return last.starts_with("0x") || std::all_of(last.begin(), last.end(), is_digit);
}

std::string_view without_dot(std::string_view host) {
  if (host.ends_with('.'))
    host.remove_suffix(1);
  return host;
}

bool is_host(std::string_view host) {
  if (host.starts_with('['))
    return parse_ipv6(host).has_value();
  auto name = without_dot(host);
  bool is_name = !name.empty() && name.size() <= host_bytes_max && std::all_of(name.begin(), name.end(), is_of_name)
                 && name.find("..") == name.npos && !name.starts_with('.');
  return is_name && (!ends_with_number(name) || parse_ipv4(host));
}

/// Of `host`, `host:port`. False: it is none.
bool read_host_and_port(std::string_view text, address& out) {
  auto name_end = text.starts_with('[') ? text.find(']') : size_t{0};
  auto colon = name_end == text.npos ? text.npos : text.find(':', name_end);
  out.host = text::in_small_letters(text.substr(0, colon));
  out.port = out.scheme == "https" ? 443 : 80;
  if (colon != text.npos) {
    auto digits = text.substr(colon + 1);
    auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
    if (ec != std::errc{} || end != digits.data() + digits.size() || out.port == 0)
      return false;
  }
  return is_host(out.host);
}

reach reach_of_ipv4(const ipv4& ip) {
  auto a = ip[0], b = ip[1];
  if (a == 127)
    return reach::this_machine;
  bool is_shared = a == 100 && (b & 0xc0) == 64; // RFC 6598
  bool is_special = (a == 192 && b == 0 && ip[2] == 0) || (a == 198 && (b & 0xfe) == 18);
  if (a == 10 || (a == 172 && (b & 0xf0) == 16) || (a == 192 && b == 168) || is_shared || is_special)
    return reach::private_net;
  return a == 0 || a >= 224 || (a == 169 && b == 254) ? reach::link_local : reach::everywhere;
}

reach reach_of_ipv6(const ipv6& ip) {
  auto part = [&](size_t at) { return ipv4{ip[at], ip[at + 1], ip[at + 2], ip[at + 3]}; };
  auto is_zero = [&](size_t from, size_t to) {
    return std::all_of(ip.begin() + from, ip.begin() + to, [](auto byte) { return byte == 0; });
  };
  if (is_zero(0, 15) && ip[15] == 1)
    return reach::this_machine;
  bool is_mapped = is_zero(0, 10) && ip[10] == 0xff && ip[11] == 0xff;
  bool is_translated = ip[0] == 0 && ip[1] == 0x64 && ip[2] == 0xff && ip[3] == 0x9b; // RFC 6052
  if (is_zero(0, 15))
    return reach::link_local; // ::
  if (is_mapped || is_translated || is_zero(0, 12))
    return reach_of_ipv4(part(12));
  if (ip[0] == 0x20 && ip[1] == 0x02) // 6to4
    return reach_of_ipv4(part(2));
  if ((ip[0] & 0xfe) == 0xfc || (ip[0] == 0xfe && (ip[1] & 0xc0) == 0xc0))
    return reach::private_net;
  return ip[0] == 0xff || (ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80) ? reach::link_local : reach::everywhere;
}

/// Whether what is seen from the server's place may be asked because of it.
bool is_as_near(reach wanted, reach server) {
  switch (wanted) {
    case reach::everywhere: return true;
    case reach::private_net: return server == reach::private_net || server == reach::this_machine;
    case reach::link_local:
    case reach::this_machine: return server == wanted;
  }
  return false;
}

} // namespace

std::optional<address> parse_address(std::string_view url) {
  auto end = url.find("://");
  if (url.size() > address_bytes_max || end == url.npos || !std::all_of(url.begin(), url.end(), is_plain))
    return std::nullopt;
  address out;
  out.scheme = text::in_small_letters(url.substr(0, end));
  if (out.scheme != "http" && out.scheme != "https")
    return std::nullopt;
  auto begin = end + 3;
  auto path = std::min(url.find_first_of("/?#", begin), url.size());
  auto authority = url.substr(begin, path - begin);
  auto at = authority.rfind('@');
  out.has_user = at != authority.npos;
  if (!read_host_and_port(authority.substr(out.has_user ? at + 1 : 0), out))
    return std::nullopt;
  auto rest = url.substr(path);
  auto fragment = rest.find('#');
  out.has_fragment = fragment != rest.npos;
  rest = rest.substr(0, fragment);
  auto query = rest.find('?');
  out.has_query = query != rest.npos;
  out.query = out.has_query ? rest.substr(query + 1) : std::string_view{};
  out.path = rest.substr(0, query);
  if (out.path.empty())
    out.path = "/";
  return out;
}

std::string origin_of(const address& of) {
  bool is_usual = of.port == (of.scheme == "https" ? 443 : 80);
  return of.scheme + "://" + of.host + (is_usual ? "" : ":" + std::to_string(of.port));
}

reach reach_of(std::string_view host) {
  if (auto ip = parse_ipv6(host))
    return reach_of_ipv6(*ip);
  auto name = without_dot(host);
  if (auto ip = parse_ipv4(name))
    return reach_of_ipv4(*ip);
  return name == "localhost" || name.ends_with(".localhost") ? reach::this_machine : reach::everywhere;
}

std::string refusal_of(std::string_view url, std::string_view server_url) {
  auto to = parse_address(url);
  auto server = parse_address(server_url);
  if (!to || !server)
    return to ? "the server itself has no address that can be compared with it" : "it is no address of https";
  if (to->has_user || to->has_fragment)
    return "it has a user or a fragment in it";
  auto wanted = reach_of(to->host), from = reach_of(server->host);
  if (!is_as_near(wanted, from))
    return "it leads to this machine or into a private net, where the server itself is not";
  bool is_safe = to->scheme == "https" || (wanted == reach::this_machine && from == reach::this_machine);
  return is_safe ? "" : "it is not https";
}

} // namespace oauth
