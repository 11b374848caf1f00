// How long a computation took, on a machine that does other things as well.
#pragma once

#include <chrono>
#include <ctime>

namespace test {

/// Of the processor, for this thread alone, since it began.
inline std::chrono::nanoseconds cpu_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

} // namespace test
