#include "http/server.hpp"

#include <asio/ip/address.hpp>

#include <algorithm>
#include <string_view>

namespace http {

namespace {

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) {
    auto end = host.find(']');
    return end == host.npos ? std::string_view{} : host.substr(1, end - 1);
  }
  auto colon = host.find(':');
  return colon == host.npos || host.find(':', colon + 1) != host.npos ? host : host.substr(0, colon);
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
