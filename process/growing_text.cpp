#include "process/growing_text.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace process {

namespace {

/// What a pipe holds: less is not asked for.
constexpr size_t first_bytes = 64u << 10;
/// Each time an eighth more, so that the memory is near the text.
constexpr size_t growth_divisor = 8;
/// What grew beyond this is given back once it is empty.
constexpr size_t keep_bytes_max = 1u << 20;

} // namespace

void growing_text::append(std::string_view more) {
  if (size_ + more.size() > capacity_) {
    auto wanted = std::max({size_ + more.size(), capacity_ + capacity_ / growth_divisor, first_bytes});
    auto* grown = static_cast<char*>(std::realloc(bytes_.get(), wanted));
    if (!grown)
      throw std::bad_alloc{};
    static_cast<void>(bytes_.release()); // realloc() has freed it
    bytes_.reset(grown);
    capacity_ = wanted;
  }
  if (!more.empty())
    std::memcpy(bytes_.get() + size_, more.data(), more.size());
  size_ += more.size();
}

void growing_text::drop_front(size_t bytes) {
  if (bytes == 0)
    return;
  size_ -= bytes;
  if (size_ > 0)
    std::memmove(bytes_.get(), bytes_.get() + bytes, size_);
  else if (capacity_ > keep_bytes_max) {
    bytes_.reset();
    capacity_ = 0;
  }
}

} // namespace process
