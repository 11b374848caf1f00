// Text from outside that goes into a message: whatever it was, it is UTF-8 afterwards.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace text {

/// Replaces every byte sequence that is no UTF-8 by U+FFFD.
std::string valid_utf8(std::string_view bytes);

/// The beginning of it, for an error or the log. A character that is cut becomes U+FFFD.
std::string quoted(std::string_view bytes, size_t bytes_max);

/// The same for a text that people read whole: if it is cut, it says so at its end.
std::string excerpt(std::string_view bytes, size_t bytes_max);

/// Of a code point up to U+10FFFF that is no surrogate; else U+FFFD.
std::string utf8_of(char32_t code);

} // namespace text
