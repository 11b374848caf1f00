// Pieces of text that know nothing of structure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toon {

/// Position of the first of `wanted` that is not between double quotes, from `from` on; npos: none. A quote may open
/// anywhere in a token, and a backslash between quotes hides the character after it.
size_t find_unquoted(std::string_view text, std::string_view wanted, size_t from = 0);

/// Without the spaces around it. Only U+0020: any other white space is data.
std::string_view trimmed(std::string_view text);

/// Of the first byte that is not a part of valid UTF-8; npos: all is valid.
size_t first_invalid_utf8(std::string_view text);

/// For a message: valid text in quotes, its beginning only.
std::string shown(std::string_view text);

} // namespace toon
