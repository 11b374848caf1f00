#include "process/own_memory.hpp"

#include <algorithm>
#include <fstream>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace process {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool is_sanitized = true;
#  else
constexpr bool is_sanitized = false;
#  endif
#else
constexpr bool is_sanitized = false;
#endif

/// The main thread's, and one for the others.
constexpr int arenas_max = 2;
constexpr int large_block_bytes = 256 << 10;
/// Free memory that is kept for what comes.
constexpr int kept_bytes_max = 32 << 20;

uint64_t resident_bytes() {
  uint64_t all_pages = 0, resident_pages = 0;
  std::ifstream{"/proc/self/statm"} >> all_pages >> resident_pages;
  return resident_pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

rlimit before{};
bool is_limited = false;

} // namespace

void limit_own_memory(uint64_t bytes) {
  if (is_sanitized || ::getrlimit(RLIMIT_DATA, &before) != 0 || before.rlim_cur <= bytes)
    return;
  rlimit ours{bytes, before.rlim_max};
  is_limited = ::setrlimit(RLIMIT_DATA, &ours) == 0;
}

void give_back_memory_limit() noexcept {
  if (is_limited)
    ::setrlimit(RLIMIT_DATA, &before);
}

void settle_allocator() {
  ::mallopt(M_ARENA_MAX, arenas_max);
  ::mallopt(M_MMAP_THRESHOLD, large_block_bytes); // a fixed one: glibc raises it to 32 MiB else
  ::mallopt(M_TRIM_THRESHOLD, kept_bytes_max);
}

free_memory::free_memory() : resident_at_first_(resident_bytes()) {}

void free_memory::give_back() {
  if (resident_bytes() <= resident_at_first_ + kept_bytes_max)
    return; // asking glibc is a walk over all free blocks
  uint64_t free = ::mallinfo2().fordblks;
  free_before_ = std::min(free_before_, free);
  if (free <= free_before_ + kept_bytes_max)
    return;
  ::malloc_trim(0);
  free_before_ = ::mallinfo2().fordblks;
}

} // namespace process
