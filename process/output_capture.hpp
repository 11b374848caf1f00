// What a stream of a guest printed, within a bound: the beginning and the end are kept, the middle is counted.
#pragma once

#include "messages/run.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace process {

class output_capture {
public:
  /// Holds at most `bytes_max`, one half for the head, one for the tail.
  explicit output_capture(size_t bytes_max) : half_(bytes_max / 2) {}

  void append(std::string_view text);
  msg::captured_text take() &&;
  size_t held_bytes() const { return head_.capacity() + tail_.capacity(); }

private:
  size_t half_;
  std::string head_;
  std::string tail_;      // ring of at most half_ bytes once it is full
  size_t tail_start_ = 0; // oldest byte in the ring
  uint64_t dropped_ = 0;
};

} // namespace process
