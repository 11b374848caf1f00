// How much of what a program has sent is quoted in a complaint.
#pragma once

#include <cstddef>

namespace proxy {

inline constexpr size_t shown_bytes_max = 100;

} // namespace proxy
