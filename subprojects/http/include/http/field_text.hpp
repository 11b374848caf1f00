// The small texts of HTTP: what may be in a head, and what may be told of it.
#pragma once

#include <string>
#include <string_view>

namespace http {

/// The name or address in a URL, without port and whatever else.
std::string host_of(std::string_view url);
/// Whether it begins with http:// or https://, in small letters.
bool is_web(std::string_view url);
/// A name of a header, or a method.
bool is_token(std::string_view text);
/// Neither another header nor the end of the head may be in it. Bytes of UTF-8 may.
bool is_field_value(std::string_view text);
/// For a message: without control characters, not long.
std::string printable(std::string_view text);

} // namespace http
