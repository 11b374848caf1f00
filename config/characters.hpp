// Which characters a setting may consist of.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace config {

/// Letters and digits of ASCII, and `others`.
inline bool consists_of_letters_digits_and(std::string_view others, std::string_view text) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || others.find(c) != others.npos;
  });
}

} // namespace config
