// How much of a text of a file is quoted in a complaint.
#pragma once

#include <cstddef>

namespace config {

inline constexpr size_t shown_bytes_max = 80;

} // namespace config
