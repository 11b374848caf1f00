// A text that grows at its end and is taken from its beginning, as a stream is read.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace process {

/// Grows in place: the system moves the pages of what is large, nothing is copied, and the old one is not held beside
/// the new one. A std::string takes up to twice its text, three times while it grows.
class growing_text {
public:
  /// Throws std::bad_alloc, and is what it was.
  void append(std::string_view more);
  void drop_front(size_t bytes);
  /// Valid until the next change.
  std::string_view view() const { return {bytes_.get(), size_}; }
  /// Bytes of memory.
  size_t held_bytes() const { return capacity_; }

private:
  struct free_bytes {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, free_bytes> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

} // namespace process
