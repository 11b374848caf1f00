// Secrets in the midst of texts, known by the names that stand before them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Of one text; no entry has more of them.
inline constexpr size_t named_secrets_max = 100;

/// The values of all `NAME=VALUE` and `NAME: VALUE` in it that are secrets by their names: headers, assignments,
/// queries of URLs, connection strings, JSON. Of `Bearer VALUE` and the like without the scheme. Where it is not known
/// where a value ends, it is there more than once, with each end that it may have. At most named_secrets_max. Takes
/// time that grows with the text alone, whatever it is: of one with thousands of pairs the later ones are not looked
/// at, and of several values of many kilobytes only their beginnings are there.
std::vector<std::string> named_secrets(std::string_view text);

} // namespace config
