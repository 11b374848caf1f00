// Large values are taken apart on a thread of their own: a million small blocks take a tenth of a second to free, which
// whoever holds a document last, the event loop mostly, has not got.
#pragma once

#include <cstddef>
#include <memory>

namespace boost::json {
class value;
}

namespace msg {

/// What holds less takes a millisecond at most, and is freed where it is.
inline constexpr size_t disposed_elsewhere_bytes = size_t{1} << 20;
/// Values that wait for the thread; beyond that they are freed where they are, so that memory never waits for it.
inline constexpr size_t disposals_max = 64;

/// On any thread. Here if it can not be done elsewhere: too many wait, there is no thread, or the process ends.
void dispose(std::unique_ptr<const boost::json::value> value) noexcept;

} // namespace msg
