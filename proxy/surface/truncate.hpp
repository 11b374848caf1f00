// Makes texts that are too large for a model small: head, a marker with the full size, and tail.
#pragma once

#include "messages/run.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace surface {

struct truncated_text {
  std::string text; ///< valid UTF-8
  bool truncated = false;
  uint64_t bytes_total = 0; ///< of what it was, if it is truncated
};

/// What the marker says when nothing better is known.
inline constexpr std::string_view print_less = "print less, or return a summary";

/// Whether the text has at most `chars_max` code points, and all of it is there.
bool fits(const msg::captured_text& captured, size_t chars_max);

/// Head, marker and tail, if it does not fit. `advice` is a part of the marker.
truncated_text truncate_text(const msg::captured_text& captured, size_t chars_max,
                             std::string_view advice = print_less);

/// As much of head and tail as can be seen in what truncate_text() makes of it; the rest counts as dropped.
msg::captured_text excerpt(const msg::captured_text& captured, size_t chars_max);

/// Whether the value has at most `bytes_max` as JSON. A large one is not read to its end.
bool fits(const boost::json::value& value, size_t bytes_max);

/// A text that does not fit, as head, marker and tail; with its quotes and escapes about `bytes_max`.
std::string truncate_string(std::string_view text, size_t bytes_max, std::string_view advice = print_less);

} // namespace surface
