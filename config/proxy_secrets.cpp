#include "config/proxy_secrets.hpp"

#include "text/percent.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace config {

namespace {

constexpr std::string_view proxy_variables[]{"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string in_base64(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    auto group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0u);
    for (size_t k = 0; k < 4; ++k)
      out += k <= group.size() ? base64_digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

} // namespace

std::vector<std::string> proxy_secrets(const variable_lookup& variable) {
  std::vector<std::string> out;
  for (auto& name : proxy_variables) {
    auto address = variable(name);
    auto at = address.rfind('@');
    if (at == address.npos)
      continue;
    auto scheme = address.find("://");
    auto begin = scheme < at ? scheme + 3 : address.find_first_not_of('/');
    auto user = address.substr(std::min(begin, at), at - std::min(begin, at));
    auto decoded = text::percent_decoded(user);
    for (auto& both : {user, decoded})
      if (auto colon = both.find(':'); colon != both.npos)
        out.push_back(both.substr(colon + 1));
    out.push_back(in_base64(decoded));
    out.push_back(std::move(user));
    out.push_back(std::move(address));
  }
  return out;
}

} // namespace config
