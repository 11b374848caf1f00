#include "http/server.hpp"

#include <asio/ip/address.hpp>

#include <algorithm>
#include <string_view>

namespace http {

namespace {

/// Whether that follows a name: nothing, or a colon and a port.
bool is_port(std::string_view rest) {
  auto digits = rest.substr(std::min<size_t>(1, rest.size()));
  bool is_number = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return rest.empty() || (rest.front() == ':' && !digits.empty() && is_number);
}

/// Empty: it is no name with a port.
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) {
    auto end = host.find(']');
    return end == host.npos || !is_port(host.substr(end + 1)) ? std::string_view{} : host.substr(1, end - 1);
  }
  auto colon = host.find(':');
  if (colon == host.npos || host.find(':', colon + 1) != host.npos)
    return host;
  return is_port(host.substr(colon)) ? host.substr(0, colon) : std::string_view{};
}

bool is_same(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

} // namespace

bool is_own_host(std::string_view header, std::string_view bound) {
  auto name = without_port(header);
  if (name.empty())
    return false;
  asio::error_code ec;
  asio::ip::make_address(std::string{name}, ec);
  return !ec || is_same(name, "localhost") || is_same(name, bound);
}

} // namespace http
