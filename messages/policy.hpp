// What a server, or this program, allows and how often.
#pragma once

#include "messages/fields.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace msg {

/// So many in any such time; a token bucket that is full at the start.
struct rate_limit {
  uint32_t requests = 0; ///< 0: unlimited
  uint32_t window_ms = 60'000;
  bool operator==(const rate_limit&) const = default;
  auto fields() { return std::tie(requests, window_ms); }
};

/// A bucket of the rate limiter, and how it is filled.
struct rate_claim {
  std::string bucket; ///< unique name
  rate_limit limit;
  std::string whose; ///< for the refusal: "server 'fs'"
  std::string key;   ///< the setting that says so
  auto fields() { return std::tie(bucket, limit, whose, key); }
};
using rate_claims = std::vector<rate_claim>;

/// Names by patterns (`*`: any run of characters). What is denied is denied, whatever allows it.
struct name_policy {
  bool everything = true; ///< else only what one of `allowed` matches
  std::vector<std::string> allowed;
  std::vector<std::string> denied;
  std::vector<std::string> confirmed = {}; ///< of what is allowed: a person is asked before it is used
  bool operator==(const name_policy&) const = default;
  auto fields() { return std::tie(everything, allowed, denied, confirmed); }
};

} // namespace msg
