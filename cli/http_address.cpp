#include "cli/http_address.hpp"

#include <asio/ip/address.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace cli {

namespace {

constexpr uint16_t usual_port = 3'333;

std::optional<uint16_t> port_of(const std::string& digits) {
  constexpr size_t digits_max = 5;
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || digits.size() > digits_max || !std::all_of(digits.begin(), digits.end(), is_digit))
    return std::nullopt;
  auto number = std::stoul(digits);
  return number <= UINT16_MAX ? std::optional{static_cast<uint16_t>(number)} : std::nullopt;
}

} // namespace

msg::outcome<bridge::http_address> parse_http_address(const std::string& text) {
  msg::fault wrong{msg::errc::invalid_argument,
                   "--http: '" + text + "' is no ADDRESS:PORT, such as 127.0.0.1:3333 or [::1]:3333"};
  bridge::http_address out{"127.0.0.1", usual_port};
  auto bracket = text.rfind(']');
  auto colon = text.rfind(':');
  bool has_port = colon != text.npos && (bracket == text.npos || colon > bracket);
  auto host = text.substr(0, has_port ? colon : text.npos);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  if (has_port) {
    auto port = port_of(text.substr(colon + 1));
    if (!port)
      return wrong;
    out.port = *port;
  }
  if (!host.empty())
    out.host = host == "localhost" ? "127.0.0.1" : host;
  asio::error_code ec;
  asio::ip::make_address(out.host, ec);
  if (ec)
    return wrong;
  return out;
}

} // namespace cli
