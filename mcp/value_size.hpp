// Whether a value of others is small enough to be copied and changed where it arrives.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>

namespace mcp {

/// A larger one is not copied on the thread that everybody waits for: of small values 15 MiB take 0.3 s.
inline constexpr size_t copied_bytes_max = size_t{64} << 10;

/// Whether its text would have more than so many bytes, about. Stops looking as soon as that is certain.
bool is_longer_than(size_t bytes, const boost::json::value& value);

} // namespace mcp
