// The beginning of a text that the author of a server wrote, for lists.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace proxy {

/// In one line, of at most bytes_max: as many whole sentences as fit; if the first one is too long, its beginning and
/// `...`.
std::string summary(std::string_view text, size_t bytes_max);

} // namespace proxy
