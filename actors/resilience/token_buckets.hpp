// So many requests in such a time, for each of many names.
#pragma once

#include "messages/policy.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace resilience {

/// Buckets are full at first and fill evenly. A full one holds as many tokens as its window allows, and is forgotten
/// when there are too many buckets.
class token_buckets {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit token_buckets(size_t buckets_max) : buckets_max_(buckets_max) {}

  /// Zero: there is a token; else the time until there is one. Takes nothing.
  std::chrono::milliseconds wait_for(const std::string& name, const msg::rate_limit& limit, time_point now);
  /// Takes one. Only after `wait_for` has said that there is one.
  void take(const std::string& name, const msg::rate_limit& limit, time_point now);
  size_t size() const { return buckets_.size(); }

private:
  struct bucket {
    double tokens = 0;
    time_point filled_at{};
    msg::rate_limit limit;
  };

  bucket& filled(const std::string& name, const msg::rate_limit& limit, time_point now);
  void make_room(time_point now);

  size_t buckets_max_;
  std::unordered_map<std::string, bucket> buckets_;
};

} // namespace resilience
