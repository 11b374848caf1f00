// The connections that are there.
#pragma once

#include "guarded_connection.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace http {

class registry : public std::enable_shared_from_this<registry> {
public:
  size_t size() const { return places_.size(); }
  bool has(uint64_t id) const { return places_.contains(id); }
  /// Of one more, until what it gives is dropped.
  std::shared_ptr<void> enter(uint64_t id) {
    places_.emplace(id, std::weak_ptr<guarded_connection>{});
    return {this, [self = shared_from_this(), id](void*) { self->places_.erase(id); }};
  }
  void name(uint64_t id, const std::shared_ptr<guarded_connection>& connection) { places_[id] = connection; }
  std::vector<std::shared_ptr<guarded_connection>> all() const {
    std::vector<std::shared_ptr<guarded_connection>> out;
    for (auto& [id, connection] : places_)
      if (auto there = connection.lock())
        out.push_back(std::move(there));
    return out;
  }

private:
  std::unordered_map<uint64_t, std::weak_ptr<guarded_connection>> places_;
};

} // namespace http
