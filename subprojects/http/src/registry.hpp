// The connections that are there.
#pragma once

#include "guarded_connection.hpp"

#include <cstdint>
#include <map>
#include <memory>
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

  /// Who has been let in longest ago of those without a whole head, or else of those without a whole request. Null: all
  /// have sent one.
  std::shared_ptr<guarded_connection> slowest() const {
    std::shared_ptr<guarded_connection> with_head;
    for (auto& [id, connection] : places_) {
      auto there = connection.lock();
      auto owed = there ? there->owes() : owed_part::none;
      if (owed == owed_part::head)
        return there;
      if (!with_head && owed == owed_part::body)
        with_head = std::move(there);
    }
    return with_head;
  }

private:
  std::map<uint64_t, std::weak_ptr<guarded_connection>> places_; ///< in the order in which they came
};

} // namespace http
