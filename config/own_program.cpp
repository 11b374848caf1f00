#include "config/own_program.hpp"

#include "http/url.hpp"
#include "text/ascii.hpp"

#include <algorithm>

namespace config {

bool own_endpoint::is_at(std::string_view url) const {
  bool is_address = text::in_small_letters(url.substr(0, url.find("://"))) == scheme; // a path alone leads nowhere
  if (port == 0 || !is_address)
    return false;
  auto is_under = [&](std::string_view host) {
    bool is_v6 = host.find(':') != host.npos;
    auto origin =
      scheme + "://" + (is_v6 ? "[" + std::string{host} + "]" : std::string{host}) + ":" + std::to_string(port);
    auto meant = http::same_origin_url(origin, url);
    return meant.substr(0, meant.find('?')) == origin + path;
  };
  return is_under("localhost") || is_under("127.0.0.1") || is_under("::1")
         || std::any_of(hosts.begin(), hosts.end(), is_under);
}

} // namespace config
