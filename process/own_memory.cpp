#include "process/own_memory.hpp"

#include <sys/resource.h>

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

} // namespace process
