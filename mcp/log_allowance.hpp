// How much of what one server says, or does wrong, is logged: one that does nothing else must not fill the disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace mcp {

/// Bytes within log_allowance_time: some hundred lines, far more than anybody reads.
inline constexpr size_t log_allowance_bytes_max = 64u << 10;
inline constexpr std::chrono::minutes log_allowance_time{1};

/// The caller brings the clock, which never goes back.
class log_allowance {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// What is logged of it; empty: nothing, and the last text that was logged has said so.
  std::string shown(std::string text, time_point now);

private:
  time_point until_{}; ///< when all of it can be used again
  size_t bytes_left_ = 0;
};

} // namespace mcp
