// Takes out of a text what looks like a secret. The record never asks for secrets; this is for those that an error
// repeats.
#pragma once

#include <string>
#include <string_view>

namespace audit {

/// Valid UTF-8 of `bytes_max` bytes at most, with `[redacted]` in the place of: what follows a word such as `password`
/// or `Bearer`; user and password of a URL; words that begin like the tokens of well-known services; and words of 24
/// characters or more that mix letters and digits as keys do (file paths stay, digests and UUIDs go).
std::string redacted(std::string_view text, size_t bytes_max);

} // namespace audit
