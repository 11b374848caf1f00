// What the bodies of all requests that are there may take together.
#pragma once

#include <cstdint>
#include <memory>

namespace http {

class body_budget {
public:
  explicit body_budget(uint64_t bytes_max) : bytes_max_(bytes_max) {}
  uint64_t taken() const { return taken_; }

private:
  friend class body_share;
  uint64_t bytes_max_;
  uint64_t taken_ = 0;
};

/// The part of it that one body has, until it is destroyed.
class body_share {
public:
  explicit body_share(std::shared_ptr<body_budget> from) : from_(std::move(from)) {}
  body_share(const body_share&) = delete;
  body_share& operator=(const body_share&) = delete;
  ~body_share() { from_->taken_ -= bytes_; }

  /// False: there is not so much left, and it stays as it was.
  bool grow(uint64_t bytes) {
    if (bytes > from_->bytes_max_ - from_->taken_)
      return false;
    from_->taken_ += bytes;
    bytes_ += bytes;
    return true;
  }

private:
  std::shared_ptr<body_budget> from_;
  uint64_t bytes_ = 0;
};

} // namespace http
