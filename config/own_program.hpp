// This program, as an entry of a configuration may mean it: by what it would start, or by an address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace config {

/// Where clients reach us over HTTP.
struct own_endpoint {
  std::string scheme = {};
  std::vector<std::string> hosts = {}; ///< names and addresses of ours, besides those of this machine
  uint16_t port = 0;                   ///< 0: nowhere
  std::string path = {};

  bool is_at(std::string_view url) const;
};

struct own_program {
  own_program(std::string file, own_endpoint served_at = {})
    : executable(std::move(file)),
      endpoint(std::move(served_at)) {}
  own_program(const char* file) : executable(file) {}

  std::string executable;
  own_endpoint endpoint;
};

} // namespace config
